import type { TokenBucketOptions } from '../../token-bucket.ts'

export type Tiers = Readonly<Record<string, TokenBucketOptions>>

export const ANONYMOUS_TIER = 'anonymous'
export const TRUSTED_TIER = 'trusted'

export const DEFAULT_TIERS: Tiers = {
  [ANONYMOUS_TIER]: { perSec: 100, burst: 150 },
  developer: { perSec: 500, burst: 750 },
}
