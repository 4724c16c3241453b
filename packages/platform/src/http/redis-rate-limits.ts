/** Rate limits that several servers share in Redis, by the clock of Redis. Each server counts for itself while Redis is away. */
import type { Logger } from '@keelson/primitives'
import { Redis } from 'ioredis'
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

const COMMAND_TIMEOUT_MS = 500
const PREFIX = 'keelson:rate:'

export interface RedisRateLimits extends RateLimitStore {
  close(): Promise<void>
}

export function createRedisRateLimits(url: string, fallback: RateLimitStore, log: Logger): RedisRateLimits {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, commandTimeout: COMMAND_TIMEOUT_MS, enableOfflineQueue: false })
  let away = false
  const lost = (error: unknown) => {
    if (!away) log.warn('Redis is unavailable: each server counts requests for itself', { error: reasonOf(error) })
    away = true
  }
  // without a listener a lost connection ends the process
  redis.on('error', lost)
  const withFallback = async <T>(ask: () => Promise<T>, instead: () => Promise<T>): Promise<T> => {
    try {
      const answer = await ask()
      if (away) log.info('Redis is available again: servers count requests together')
      away = false
      return answer
    } catch (error) {
      lost(error)
      return instead()
    }
  }
  return {
    take: (key, limit, requests = 1) =>
      withFallback(
        async () => {
          const answer = (await redis.eval(TAKE, 1, PREFIX + key, limit.windowMs, limit.requests, requests)) as readonly number[]
          const [allowed, remaining = 0, resetMs = 0, retryAfterMs = 0] = answer
          return { allowed: allowed === 1, remaining, resetMs, retryAfterMs }
        },
        () => fallback.take(key, limit, requests),
      ),
    giveBack: (key, limit, requests = 1) =>
      withFallback(
        async () => void (await redis.eval(GIVE_BACK, 1, PREFIX + key, limit.windowMs, limit.requests, requests)),
        () => fallback.giveBack(key, limit, requests),
      ),
    isCounted: (key) =>
      withFallback(
        async () => (await redis.exists(PREFIX + key)) > 0,
        () => fallback.isCounted(key),
      ),
    forget: (key) =>
      withFallback(
        async () => void (await redis.del(PREFIX + key)),
        () => fallback.forget(key),
      ),
    close: async () => redis.disconnect(),
  }
}

/** Names the failure without the address of Redis, which may include a password. */
function reasonOf(error: unknown): string {
  return (error as { code?: string }).code ?? (error instanceof Error ? error.name : 'unknown')
}
