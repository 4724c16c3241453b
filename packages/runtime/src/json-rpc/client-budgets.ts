/** Rate limits per client address, for a bounded number of addresses. */
import type { Clock } from '@keelson/primitives'
import { createTokenBucket, type TokenBucket, type TokenBucketOptions } from '../token-bucket.ts'

/** Past this many, the address seen longest ago starts over with a full bucket. */
const MAX_ADDRESSES = 10_000

export interface ClientBudgets {
  admit(address: string, calls: number): boolean
}

export function createClientBudgets(options: TokenBucketOptions, clock: Clock): ClientBudgets {
  const buckets = new Map<string, TokenBucket>()
  return {
    admit(address, calls) {
      const bucket = buckets.get(address) ?? createTokenBucket(options, clock)
      buckets.delete(address)
      buckets.set(address, bucket)
      if (buckets.size > MAX_ADDRESSES) buckets.delete(buckets.keys().next().value as string)
      return bucket.tryTake(calls)
    },
  }
}
