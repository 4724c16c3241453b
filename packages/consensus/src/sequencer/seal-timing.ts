export interface SealTiming {
  /** Time before the block's timestamp at which sealing starts: a fixed margin, or more while sealing has been slow. */
  readonly leadMs: number
  /** Time for sealing, committing and inserting a block. */
  sealed(tookMs: number): void
}

const REMEMBERED = 8

/** The lead is at most half of `blockTimeMs`, so that transactions can still arrive. */
export function createSealTiming(marginMs: number, blockTimeMs: number): SealTiming {
  const recentMs: number[] = []
  return {
    get leadMs() {
      return Math.min(Math.max(marginMs, ...recentMs), Math.max(marginMs, blockTimeMs / 2))
    },
    sealed(tookMs) {
      recentMs.push(tookMs)
      if (recentMs.length > REMEMBERED) recentMs.shift()
    },
  }
}
