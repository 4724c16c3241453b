/** Cuts long work into pieces: whoever works through many keys steps aside after every few hundred. */

const KEYS_PER_PIECE = 256

export class Pace {
  private done = 0
  /** Lets others have the thread; does nothing where nobody waits. */
  readonly breathe: () => Promise<void>

  constructor(breathe: () => Promise<void>) {
    this.breathe = breathe
  }

  /** After each key: true when it is time to `breathe`. */
  due(): boolean {
    if (++this.done < KEYS_PER_PIECE) return false
    this.done = 0
    return true
  }
}
