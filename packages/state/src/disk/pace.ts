const KEYS_PER_PIECE = 256

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
