interface Hole {
  start: number
  length: number
}

const ALIGNMENT = 8
const aligned = (bytes: number): number => Math.ceil(Math.max(bytes, 1) / ALIGNMENT) * ALIGNMENT

/** First-fit allocation. */
export class JumpTableSpace {
  /** By address; never adjacent. */
  #holes: Hole[]

  constructor(start: number, length: number) {
    this.#holes = [{ start, length }]
  }

  /** Null when no hole is large enough. */
  allocate(bytes: number): number | null {
    const wanted = aligned(bytes)
    const hole = this.#holes.find(({ length }) => length >= wanted)
    if (hole === undefined) return null
    const address = hole.start
    hole.start += wanted
    hole.length -= wanted
    if (hole.length === 0) this.#holes.splice(this.#holes.indexOf(hole), 1)
    return address
  }

  /** `bytes` is the number given to `allocate`. */
  free(address: number, bytes: number): void {
    this.#holes.push({ start: address, length: aligned(bytes) })
    this.#holes.sort((a, b) => a.start - b.start)
    const merged: Hole[] = []
    for (const hole of this.#holes) {
      const last = merged.at(-1)
      if (last !== undefined && last.start + last.length === hole.start) last.length += hole.length
      else merged.push(hole)
    }
    this.#holes = merged
  }
}
