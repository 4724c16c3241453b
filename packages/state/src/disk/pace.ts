/** Divides work into pieces of a few milliseconds, between which blocks are imported. */

/** A key costs about 20 us to flatten, mostly reads from disk. */
const KEYS_PER_PIECE = 64

export class Pace {
  private done = 0
  readonly breathe: () => Promise<void>

  constructor(breathe: () => Promise<void>) {
    this.breathe = breathe
  }

  due(): boolean {
    if (++this.done < KEYS_PER_PIECE) return false
    this.done = 0
    return true
  }
}
