/** Rate limits per network, so that a caller with many addresses is limited as one. */
import type { Clock } from '@keelson/primitives'
import { createTokenBuckets, customerOf, type TokenBucketOptions } from '@keelson/runtime'

export interface NetworkRate {
  /** Returns false when the caller's network has sent too many requests. */
  allows(subscriber: string): boolean
}

/** The rate of a network, in multiples of a caller's rate: a /48 has 65,536 callers, a /24 has 256. */
const CALLERS_OF_A_NETWORK = 16
/** Limit on buckets in memory; an evicted one starts full again. */
export const MAX_BUCKETS = 20_000

/** The options are the rate of one IPv4 address or IPv6 /64. */
export function createNetworkRate({ perSec, burst }: TokenBucketOptions, clock: Clock): NetworkRate {
  const rate = { perSec: perSec * CALLERS_OF_A_NETWORK, burst: burst * CALLERS_OF_A_NETWORK }
  const buckets = createTokenBuckets(rate, clock, MAX_BUCKETS)
  return { allows: (subscriber) => buckets(customerOf(subscriber)).tryTake() }
}
