export interface ConductorOptions {
  readonly blockTimeSec: number
  readonly healthIntervalMs: number
  /** Time without a recorded block after which the leader loses its lease. */
  readonly unsafeIntervalMs: number
  /** Maximum age of the safe head; null for no limit. */
  readonly safeIntervalMs: number | null
  readonly minPeers: number
  /** Time in which a failed leader is not chosen again while there is another. */
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
