/** How long before a block's own time sealing begins: a fixed margin, and more while sealing has been slow. */

export interface SealTiming {
  /** Milliseconds before the block's own time at which it should be sealed. */
  readonly leadMs: number
  /** What sealing, committing and inserting a block took together. */
  sealed(tookMs: number): void
}

const REMEMBERED = 8

/** Never more than half of `blockTimeMs`: transactions need time to come in too. */
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
