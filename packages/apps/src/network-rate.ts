/** Rate limits per network, so that a caller with many addresses is limited as one. */
import type { Clock } from '@keelson/primitives'
import { createTokenBucket, customerOf, type TokenBucket, type TokenBucketOptions } from '@keelson/runtime'

export interface NetworkRate {
  /** Returns false when the caller's network has sent too many requests. */
  allows(subscriber: string): boolean
}

/** The rate of a network, in multiples of a caller's rate: a /48 has 65,536 callers, a /24 has 256. */
const CALLERS_OF_A_NETWORK = 16
/** Limit on buckets in memory; an evicted one starts full again. */
const MAX_BUCKETS = 20_000

/** The options are the rate of one IPv4 address or IPv6 /64. */
export function createNetworkRate({ perSec, burst }: TokenBucketOptions, clock: Clock): NetworkRate {
  const buckets = createBuckets({ perSec: perSec * CALLERS_OF_A_NETWORK, burst: burst * CALLERS_OF_A_NETWORK }, clock)
  return { allows: (subscriber) => buckets(customerOf(subscriber)).tryTake() }
}

/** Returns a bucket per name; the least recently used is evicted first. */
export function createBuckets(options: TokenBucketOptions, clock: Clock): (name: string) => TokenBucket {
  const buckets = new Map<string, TokenBucket>()
  return (name) => {
    const bucket = buckets.get(name) ?? createTokenBucket(options, clock)
    buckets.delete(name)
    buckets.set(name, bucket)
    if (buckets.size > MAX_BUCKETS) buckets.delete(buckets.keys().next().value as string)
    return bucket
  }
}
