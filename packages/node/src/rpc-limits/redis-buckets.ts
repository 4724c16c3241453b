import { once } from 'node:events'
import { counted, type Logger, messageOf } from '@keelson/primitives'
import { MAX_DEBT_SEC, type SharedBuckets } from '@keelson/runtime'
import { Redis } from 'ioredis'

/** Limits one exchange with Redis, for which no call waits. */
const COMMAND_TIMEOUT_MS = 500
const MOST_RECONNECT_WAIT_MS = 2_000
const PREFIX = 'keelson:rpc:'

/**
 * Arguments: time in ms, debt limit in seconds, then for each key the tokens used, since when, the rate per second and the burst.
 * Time moves only forward, so that the clocks of the nodes may differ. A bucket that would be full again is forgotten.
 */
const SETTLE = `
local left = {}
for i, key in ipairs(KEYS) do
  local arg = 4 * i - 1
  local used, first = tonumber(ARGV[arg]), tonumber(ARGV[arg + 1])
  local rate, burst = tonumber(ARGV[arg + 2]), tonumber(ARGV[arg + 3])
  local stored = redis.call('HMGET', key, 'tokens', 'at')
  local tokens = stored[1] and tonumber(stored[1]) or burst
  local at = stored[2] and tonumber(stored[2]) or first
  local since = math.max(first, at)
  local now = math.max(tonumber(ARGV[1]), since)
  tokens = math.min(burst, tokens + (since - at) / 1000 * rate) - used
  tokens = math.max(-tonumber(ARGV[2]) * rate, math.min(burst, tokens + (now - since) / 1000 * rate))
  redis.call('HSET', key, 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
  redis.call('PEXPIRE', key, math.ceil((burst - tokens) / rate * 1000) + 1000)
  left[i] = string.format('%.6f', tokens)
end
return left`

/** The URL may hold a password and is not logged. */
export function createRedisBuckets(url: string, log: Logger): SharedBuckets {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(MOST_RECONNECT_WAIT_MS, attempt * 100),
  })
  /** Why there is no connection; a command then only says that it cannot be sent. */
  let refused: string | null = null
  redis.on('ready', () => {
    refused = null
  })
  // Without a listener, a lost connection ends the process.
  redis.on('error', (error: Error & { readonly code?: string }) => {
    refused = error.message === '' ? (error.code ?? error.name) : error.message
    log.debug('connection to Redis', { error: error.code ?? error.name })
  })
  // Resolves when the first connection stands, has failed, or takes longer than a command may.
  const opening = once(redis, 'ready', { signal: AbortSignal.timeout(COMMAND_TIMEOUT_MS) }).catch(() => undefined)
  return {
    async settle(uses, nowMs) {
      await opening
      const keys = uses.map(({ name }) => PREFIX + name)
      const values = uses.flatMap(({ tokens, sinceMs, rate }) => [tokens, sinceMs, rate.perSec, rate.burst])
      const left: unknown = await redis.eval(SETTLE, keys.length, ...keys, nowMs, MAX_DEBT_SEC, ...values).catch((cause: unknown) => {
        throw new Error(`Redis: ${refused ?? messageOf(cause)}`, { cause })
      })
      return parseLeft(left, keys.length)
    },
    close: async () => redis.disconnect(),
  }
}

/** Whatever answers at the address, its numbers decide about callers. */
function parseLeft(left: unknown, count: number): readonly number[] {
  const numbers = Array.isArray(left) ? left.map((text) => (typeof text === 'string' ? Number.parseFloat(text) : Number.NaN)) : []
  if (numbers.length === count && numbers.every(Number.isFinite)) return numbers
  throw new Error(
    `Redis: the script of rate limits was not answered with ${counted(count, 'number')}; is the address that of a Redis server?`,
  )
}
