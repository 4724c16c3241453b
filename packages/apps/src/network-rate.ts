/** Requests of whole networks: a caller with many addresses is limited as one. */
import type { Clock } from '@keelson/primitives'
import { createTokenBucket, customerOf, type TokenBucket, type TokenBucketOptions } from '@keelson/runtime'

export interface NetworkRate {
  /** False: too many requests of the caller's network. */
  allows(subscriber: string): boolean
}

/** A network may ask as often as so many of its callers: a /48 has 65,536 of them, a /24 has 256. */
const CALLERS_OF_A_NETWORK = 16
/** As many buckets are remembered; a forgotten one starts full. */
const MAX_BUCKETS = 20_000

/** The options are what one IPv4 address or IPv6 /64 may ask. */
export function createNetworkRate({ perSec, burst }: TokenBucketOptions, clock: Clock): NetworkRate {
  const buckets = createBuckets({ perSec: perSec * CALLERS_OF_A_NETWORK, burst: burst * CALLERS_OF_A_NETWORK }, clock)
  return { allows: (subscriber) => buckets(customerOf(subscriber)).tryTake() }
}

/** A bucket for each name; the one that was used longest ago is forgotten first. */
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
