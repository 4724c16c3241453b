export interface SealTiming {
  readonly leadMs: number
  sealed(tookMs: number): void
}

const REMEMBERED = 8

/** The lead grows while sealing is slow, up to half of `blockTimeMs`. */
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
