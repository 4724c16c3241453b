/** Rate limits per client, for a bounded number of clients: a token bucket each, in a few numbers. */
import type { Clock } from '@keelson/primitives'
import type { TokenBucketOptions } from '../../token-bucket.ts'

export interface ClientBudgets {
  /**
   * Takes the tokens and says 0, or takes none and says after how many milliseconds there will be enough. Asking costs
   * nothing, so an eager client waits no longer than a patient one. More than the burst are never enough: Infinity.
   */
  take(client: string, rate: TokenBucketOptions, calls: number): number
  /**
   * Charges tokens for finished work, whether or not there are enough: the client then waits until the rate
   * has made up for them, at most `MAX_DEBT_SEC`. A negative number gives tokens back; there are never more than the burst.
   */
  charge(client: string, rate: TokenBucketOptions, tokens: number): void
  readonly size: number
}

/** Fractions of tokens are added up; a millionth more or less is neither refused nor waited for. */
const ROUNDING = 1e-6
/** Limit on a client's debt, in seconds of its rate: the longest time that an expensive call makes it wait. */
const MAX_DEBT_SEC = 60

interface Bucket {
  tokens: number
  sinceMs: number
}

/** Past `maxClients`, the client seen longest ago starts over with a full bucket. */
export function createClientBudgets(clock: Clock, maxClients: number): ClientBudgets {
  const buckets = new Map<string, Bucket>()

  const touch = (client: string, rate: TokenBucketOptions): Bucket => {
    const nowMs = clock.monotonicMs()
    const bucket = buckets.get(client) ?? { tokens: rate.burst, sinceMs: nowMs }
    buckets.delete(client)
    buckets.set(client, bucket)
    if (buckets.size > maxClients) buckets.delete(buckets.keys().next().value as string)
    bucket.tokens = Math.min(rate.burst, bucket.tokens + ((nowMs - bucket.sinceMs) / 1000) * rate.perSec)
    bucket.sinceMs = nowMs
    return bucket
  }

  return {
    take(client, rate, calls) {
      if (calls > rate.burst) return Number.POSITIVE_INFINITY
      const bucket = touch(client, rate)
      const missing = calls - bucket.tokens
      if (missing > ROUNDING) return Math.max(1, Math.ceil((missing / rate.perSec) * 1000 - ROUNDING))
      bucket.tokens -= calls
      return 0
    },
    charge(client, rate, tokens) {
      const bucket = touch(client, rate)
      bucket.tokens = Math.min(rate.burst, Math.max(-MAX_DEBT_SEC * rate.perSec, bucket.tokens - tokens))
    },
    get size() {
      return buckets.size
    },
  }
}
