export interface ConductorOptions {
  readonly blockTimeSec: number
  readonly healthIntervalMs: number
  /** A leader that records no block for this long loses its lease. */
  readonly unsafeIntervalMs: number
  /** Maximum age of a healthy candidate's safe head; null for no limit. */
  readonly safeIntervalMs: number | null
  readonly minPeers: number
  /** A failed leader is not chosen again for this long while there is another. */
  readonly coolDownMs: number
  readonly paused: boolean
}

export function defaultConductorOptions(blockTimeSec: number): ConductorOptions {
  return {
    blockTimeSec,
    healthIntervalMs: 1_000,
    unsafeIntervalMs: Math.max(3 * blockTimeSec, 3) * 1_000,
    safeIntervalMs: null,
    minPeers: 0,
    coolDownMs: 60_000,
    paused: false,
  }
}
