export const TIERS = ['anonymous', 'verified', 'developer'] as const
export type Tier = (typeof TIERS)[number]

export interface Quota {
  readonly claims: number
  readonly windowMs: number
}

const HOUR_MS = 3_600_000
/** Claims older than this never count. */
export const LONGEST_WINDOW_MS = 24 * HOUR_MS

export const TIER_QUOTAS: Readonly<Record<Tier, Quota>> = {
  anonymous: { claims: 1, windowMs: 24 * HOUR_MS },
  verified: { claims: 5, windowMs: 12 * HOUR_MS },
  developer: { claims: 10, windowMs: 24 * HOUR_MS },
}
