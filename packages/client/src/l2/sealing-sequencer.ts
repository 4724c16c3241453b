/** One of several sequencers that say that they seal. */
export interface SealingSequencer {
  /** Number of its unsafe head. Null when it does not answer. */
  head(): Promise<number | null>
  /** Grows with the order in which they began to seal, as far as their caller saw it. */
  readonly began: number
}

/**
 * Returns the one that leads: a former leader that is cut off may still say that it seals, but its chain does not grow. Among equal
 * chains it is the one that began last. Null for none.
 */
export async function findLeading<T extends SealingSequencer>(sealing: readonly T[]): Promise<T | null> {
  if (sealing.length < 2) return sealing[0] ?? null
  const ranked = await Promise.all(sealing.map(async (each) => ({ each, head: (await each.head()) ?? -1 })))
  ranked.sort((a, b) => b.head - a.head || b.each.began - a.each.began)
  return ranked[0]?.each ?? null
}
