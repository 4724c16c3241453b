/** What scores fade to before they count as nothing. */
export const DECAYED = 0.01

/** Factor per block that makes a count of one fade to nothing over so many blocks. */
export function scoreDecay(blocks: number): number {
  return DECAYED ** (1 / blocks)
}
