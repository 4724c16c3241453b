import type { Clock } from '@keelson/primitives'
import { createTokenBucket, type TokenBucket, type TokenBucketOptions } from '../token-bucket.ts'
import { createTokenBuckets } from '../token-buckets.ts'
import { addressScope, isLoopback, subnetAt, subscriberAt } from './address-scope.ts'

export interface AddressBuckets {
  /** Null, host names and loopback, which do not identify a peer, get a new bucket per call. */
  of(ip: string | null): TokenBucket
}

const MAX_ADDRESSES = 2_048

/** One bucket per IPv4 address or IPv6 /64. */
export function createAddressBuckets(options: TokenBucketOptions, clock: Clock): AddressBuckets {
  return createBuckets(options, clock, (ip) => (isLoopback(ip) ? null : subscriberAt(ip)))
}

/** One bucket per public /24 or IPv6 /48, because many operators hold a whole /48. */
export function createSubnetBuckets(options: TokenBucketOptions, clock: Clock): AddressBuckets {
  return createBuckets(options, clock, (ip) => (addressScope(ip) === 'public' ? subnetAt(ip) : null))
}

function createBuckets(options: TokenBucketOptions, clock: Clock, nameOf: (ip: string) => string | null): AddressBuckets {
  const buckets = createTokenBuckets(options, clock, MAX_ADDRESSES)
  return {
    of(ip) {
      const key = ip === null ? null : nameOf(ip)
      return key === null ? createTokenBucket(options, clock) : buckets(key)
    },
  }
}
