import type { Clock } from '@keelson/primitives'
import type { TokenBucketOptions } from '../../token-bucket.ts'

export interface ClientBudgets {
  /** Takes `calls` tokens and returns 0, or takes none and returns the wait in milliseconds (Infinity above the burst). */
  take(client: string, rate: TokenBucketOptions, calls: number): number
  /** Charges on credit up to `MAX_DEBT_SEC`; a negative number refunds. */
  charge(client: string, rate: TokenBucketOptions, tokens: number): void
  /** What may be taken now; negative in debt. */
  left(client: string, rate: TokenBucketOptions): number
  readonly size: number
}

const ROUNDING = 1e-6
/** Debt limit in seconds of the client's rate. */
export const MAX_DEBT_SEC = 60

interface Bucket {
  tokens: number
  sinceMs: number
}

/** Above `maxClients` the least recently seen client is evicted. */
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
    left: (client, rate) => touch(client, rate).tokens,
    get size() {
      return buckets.size
    },
  }
}
