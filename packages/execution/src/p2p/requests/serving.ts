import type { Clock } from '@keelson/primitives'
import { createTokenBucket, type TokenBucket, type TokenBucketOptions } from '@keelson/runtime'
import { createExclusive, type Exclusive } from '../../exclusive.ts'

/** Milliseconds of the thread that the responses to all peers may take. */
const BUDGET: TokenBucketOptions = { perSec: 400, burst: 800 }

/** What all responders share. */
export interface Serving {
  /** One response is made at a time, so that peers together take one turn of the event loop, not one each. */
  readonly place: Exclusive
  readonly budget: TokenBucket
}

export function createServing(clock: Clock): Serving {
  return { place: createExclusive(), budget: createTokenBucket(BUDGET, clock) }
}
