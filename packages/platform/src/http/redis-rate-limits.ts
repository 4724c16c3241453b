/**
 * The same count for all servers behind one balancer. The script judges by the clock of Redis, so their clocks need not
 * agree. While Redis cannot be asked each server counts for itself: a limit that is too mild for a while beats no answers.
 */
import type { Logger } from '@keelson/primitives'
import { Redis } from 'ioredis'
import type { RateLimitStore, RateVerdict } from './rate-limit-store.ts'
import type { RateLimit } from './rate-limits.ts'

const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local window = tonumber(ARGV[1])
local interval = window / tonumber(ARGV[2])
local from = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local arrival = from + interval
local over = arrival - now - window - interval * 0.000001
if over > 0 then return {0, 0, math.ceil(from - now), math.ceil(over)} end
redis.call('SET', KEYS[1], string.format('%.3f', arrival), 'PX', math.ceil(arrival - now))
return {1, math.max(0, math.floor((window - (arrival - now)) / interval + 0.000001)), math.ceil(arrival - now), 0}`

const GIVE_BACK = `
local stored = redis.call('GET', KEYS[1])
if stored then redis.call('SET', KEYS[1], string.format('%.3f', tonumber(stored) - ARGV[1] / ARGV[2]), 'KEEPTTL') end`

const COMMAND_TIMEOUT_MS = 500
const PREFIX = 'keelson:rate:'

export interface RedisRateLimits extends RateLimitStore {
  close(): Promise<void>
}

export function createRedisRateLimits(url: string, fallback: RateLimitStore, log: Logger): RedisRateLimits {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, commandTimeout: COMMAND_TIMEOUT_MS, enableOfflineQueue: false })
  let away = false
  // without a listener a lost connection would end the process
  redis.on('error', (error: Error) => lost(error))
  const lost = (error: unknown) => {
    if (!away) log.warn('Redis cannot be asked: each server counts requests for itself until it can', { error: reasonOf(error) })
    away = true
  }
  const asked = async <T>(ask: () => Promise<T>, instead: () => Promise<T>): Promise<T> => {
    try {
      const answer = await ask()
      if (away) log.info('Redis answers again: requests are counted together')
      away = false
      return answer
    } catch (error) {
      lost(error)
      return instead()
    }
  }
  const numbers = ({ windowMs, requests }: RateLimit) => [windowMs, requests] as const
  return {
    take: (key, limit) =>
      asked(
        async (): Promise<RateVerdict> => {
          const answer = (await redis.eval(TAKE, 1, PREFIX + key, ...numbers(limit))) as [number, number, number, number]
          const [allowed, remaining, resetMs, retryAfterMs] = answer
          return { allowed: allowed === 1, remaining, resetMs, retryAfterMs }
        },
        () => fallback.take(key, limit),
      ),
    giveBack: (key, limit) =>
      asked(
        async () => void (await redis.eval(GIVE_BACK, 1, PREFIX + key, ...numbers(limit))),
        () => fallback.giveBack(key, limit),
      ),
    isCounted: (key) =>
      asked(
        async () => (await redis.exists(PREFIX + key)) > 0,
        () => fallback.isCounted(key),
      ),
    forget: (key) =>
      asked(
        async () => void (await redis.del(PREFIX + key)),
        () => fallback.forget(key),
      ),
    async close() {
      redis.disconnect()
    },
  }
}

/** The kind of failure, never the address, which may hold a password. */
function reasonOf(error: unknown): string {
  return (error as { code?: string }).code ?? (error instanceof Error ? error.name : 'unknown')
}
