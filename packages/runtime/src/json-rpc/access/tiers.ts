/** How many calls each class of callers may make: the built-in tiers, which a keys file may change or add to. */
import type { TokenBucketOptions } from '../../token-bucket.ts'

export type Tiers = Readonly<Record<string, TokenBucketOptions>>

/** Callers without a key. */
export const ANONYMOUS_TIER = 'anonymous'
/** Label of callers who are not limited; no tier of a file may be called so. */
export const TRUSTED_TIER = 'trusted'

export const DEFAULT_TIERS: Tiers = {
  [ANONYMOUS_TIER]: { perSec: 100, burst: 150 },
  developer: { perSec: 500, burst: 750 },
}
