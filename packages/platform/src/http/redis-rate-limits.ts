/** Each server counts for itself while Redis is unavailable. */
import { SharedRedis, type SharedRedisDependencies } from '../storage/shared-redis.ts'
import type { RateLimitStore } from './rate-limit-store.ts'

/** GCRA, as in rate-limit-store.ts. Arguments: window in ms, limit, requests. */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local window = tonumber(ARGV[1])
local interval = window / tonumber(ARGV[2])
local from = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local arrival = from + interval * tonumber(ARGV[3])
local over = arrival - now - window - interval * 0.000001
if over > 0 then return {0, 0, math.ceil(from - now), math.ceil(over)} end
redis.call('SET', KEYS[1], string.format('%.3f', arrival), 'PX', math.ceil(arrival - now))
return {1, math.max(0, math.floor((window - (arrival - now)) / interval + 0.000001)), math.ceil(arrival - now), 0}`

const GIVE_BACK = `
local stored = redis.call('GET', KEYS[1])
if stored then redis.call('SET', KEYS[1], string.format('%.3f', tonumber(stored) - ARGV[3] * ARGV[1] / ARGV[2]), 'KEEPTTL') end`

const PREFIX = 'keelson:rate:'

export interface RedisRateLimits extends RateLimitStore {
  close(): Promise<void>
}

export function createRedisRateLimits(url: string, fallback: RateLimitStore, deps: SharedRedisDependencies): RedisRateLimits {
  const shared = new SharedRedis(url, deps, 'each server counts requests for itself')
  return {
    async take(key, limit, requests = 1) {
      const answer = await shared.ask(
        async (redis) => parseTaken(await redis.eval(TAKE, 1, PREFIX + key, limit.windowMs, limit.requests, requests)),
        () => null,
      )
      if (answer === null) return fallback.take(key, limit, requests)
      const [allowed, remaining, resetMs, retryAfterMs] = answer
      return { allowed: allowed === 1, remaining, resetMs, retryAfterMs }
    },
    giveBack: (key, limit, requests = 1) =>
      shared.ask(
        async (redis) => void (await redis.eval(GIVE_BACK, 1, PREFIX + key, limit.windowMs, limit.requests, requests)),
        () => fallback.giveBack(key, limit, requests),
      ),
    isCounted: (key) =>
      shared.ask(
        async (redis) => (await redis.exists(PREFIX + key)) > 0,
        () => fallback.isCounted(key),
      ),
    forget: (key) =>
      shared.ask(
        async (redis) => void (await redis.del(PREFIX + key)),
        () => fallback.forget(key),
      ),
    close: () => shared.close(),
  }
}

/** Whatever answers at the address, its numbers decide about requests. */
function parseTaken(answer: unknown): readonly [number, number, number, number] {
  const isTaken = Array.isArray(answer) && answer.length === 4 && answer.every(Number.isSafeInteger)
  if (isTaken) return answer as unknown as readonly [number, number, number, number]
  throw new RangeError('the script of rate limits was not answered with four numbers')
}
