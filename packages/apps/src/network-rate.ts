import type { Clock } from '@keelson/primitives'
import { createTokenBuckets, customerOf, type TokenBucketOptions } from '@keelson/runtime'

export interface NetworkRate {
  allows(subscriber: string): boolean
}

/** A network's rate as a multiple of one caller's; a /48 has 65,536 callers. */
const CALLERS_OF_A_NETWORK = 16
export const MAX_BUCKETS = 20_000

/** `perSec` and `burst` are for one caller (IPv4 address or IPv6 /64). */
export function createNetworkRate({ perSec, burst }: TokenBucketOptions, clock: Clock): NetworkRate {
  const rate = { perSec: perSec * CALLERS_OF_A_NETWORK, burst: burst * CALLERS_OF_A_NETWORK }
  const buckets = createTokenBuckets(rate, clock, MAX_BUCKETS)
  return { allows: (subscriber) => buckets(customerOf(subscriber)).tryTake() }
}
