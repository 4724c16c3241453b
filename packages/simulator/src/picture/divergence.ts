/** Which nodes have heads that are other blocks than those that the first node had at the same numbers. */
import { HEAD_LABELS, type Heads } from '@keelson/web/recording'

/** Older blocks of the first node are forgotten. */
const REMEMBERED_BLOCKS = 4_096

export class Divergence {
  readonly #hashes = new Map<number, string>()
  #highest = 0

  /** Gets the heads of all machines and returns the indices of those that differ. */
  look(all: readonly (Heads | null)[]): readonly number[] {
    const first = all.find((heads) => heads !== null) ?? null
    if (first === null) return []
    this.#remember(first)
    return all.flatMap((heads, i) => (heads !== null && this.#differs(heads) ? [i] : []))
  }

  #remember(heads: Heads): void {
    const { number } = heads.unsafe
    // The first node may have replaced the blocks above its head.
    for (let above = number + 1; above <= this.#highest; above++) this.#hashes.delete(above)
    this.#highest = number
    for (const label of HEAD_LABELS) this.#hashes.set(heads[label].number, heads[label].hash)
    for (const old of this.#hashes.keys()) {
      if (this.#hashes.size <= REMEMBERED_BLOCKS) break
      this.#hashes.delete(old)
    }
  }

  #differs(heads: Heads): boolean {
    return HEAD_LABELS.some((label) => (this.#hashes.get(heads[label].number) ?? heads[label].hash) !== heads[label].hash)
  }
}
