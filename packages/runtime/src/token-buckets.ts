import type { Clock } from '@keelson/primitives'
import { createTokenBucket, type TokenBucket, type TokenBucketOptions } from './token-bucket.ts'

/** Evicts the least recently used bucket. */
export function createTokenBuckets(options: TokenBucketOptions, clock: Clock, maxBuckets: number): (name: string) => TokenBucket {
  const buckets = new Map<string, TokenBucket>()
  return (name) => {
    const bucket = buckets.get(name) ?? createTokenBucket(options, clock)
    buckets.delete(name)
    buckets.set(name, bucket)
    if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value as string)
    return bucket
  }
}
