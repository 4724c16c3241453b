/** Limits of a conductor, with the names op-conductor has for them. */

export interface ConductorOptions {
  readonly blockTimeSec: number
  /** Between two looks at the candidates. */
  readonly healthIntervalMs: number
  /** A leader that has recorded no block for so long has stalled: another one is tried. */
  readonly unsafeIntervalMs: number
  /** A candidate whose safe head is older than this is not healthy; null does not look at it. */
  readonly safeIntervalMs: number | null
  readonly minPeers: number
  /** A leader that failed is not chosen again for so long, as long as there is another. */
  readonly coolDownMs: number
  /** Begin without starting or stopping anyone. */
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
