/** Token buckets per IPv4 address or IPv6 /64, shared by all connections from there. */
import type { Clock } from '@keelson/primitives'
import { createTokenBucket, type TokenBucket, type TokenBucketOptions } from '@keelson/runtime'
import { subscriberAt } from './address-scope.ts'
import { isLoopback } from './connection-rules.ts'

export interface AddressBuckets {
  /** Returns the bucket of an address. Null, host names and loopback, which do not identify a peer, get a new bucket per call. */
  of(ip: string | null): TokenBucket
}

/** Limit on buckets; the least recently used are evicted. */
const MAX_ADDRESSES = 2_048

export function createAddressBuckets(options: TokenBucketOptions, clock: Clock): AddressBuckets {
  const buckets = new Map<string, TokenBucket>()
  return {
    of(ip) {
      const key = ip === null || isLoopback(ip) ? null : subscriberAt(ip)
      if (key === null) return createTokenBucket(options, clock)
      const bucket = buckets.get(key) ?? createTokenBucket(options, clock)
      buckets.delete(key)
      buckets.set(key, bucket)
      if (buckets.size > MAX_ADDRESSES) buckets.delete(buckets.keys().next().value as string)
      return bucket
    },
  }
}
