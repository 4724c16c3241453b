/** RFC 7932 section 4. */

const INVALID_DISTANCE = 0x7fffffff
/** For each short code: which earlier distance it uses (0 is the last one), and the offset added to it. */
const BACK = [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
const ADDED = [0, 0, 0, 0, -1, 1, -2, 2, -3, 3, -1, 1, -2, 2, -3, 3]

export class LastDistances {
  readonly #ring = [16, 15, 11, 4]
  #next = 0

  get last(): number {
    return this.#back(0)
  }

  #back(steps: number): number {
    return this.#ring[(this.#next + 3 - steps) & 3] as number
  }

  byShortCode(code: number): number {
    const distance = this.#back(BACK[code] as number) + (ADDED[code] as number)
    return distance > 0 ? distance : INVALID_DISTANCE
  }

  push(distance: number): void {
    this.#ring[this.#next & 3] = distance
    this.#next++
  }
}
