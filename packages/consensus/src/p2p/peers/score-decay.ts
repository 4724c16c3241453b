/** A decayed count below this is set to zero. */
export const DECAYED = 0.01

/** Returns the factor per block with which a count of 1 decays to DECAYED in `blocks` blocks. */
export function scoreDecay(blocks: number): number {
  return DECAYED ** (1 / blocks)
}
