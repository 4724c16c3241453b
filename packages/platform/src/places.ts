/** Counts what is in use, per owner and in total, and refuses more than the limits. */
export interface PlaceLimits {
  readonly ofOwner: number
  readonly all: number
}

export class Places {
  readonly #limits: PlaceLimits
  readonly #ofOwner = new Map<string | number, number>()
  #taken = 0

  constructor(limits: PlaceLimits) {
    this.#limits = limits
  }

  get taken(): number {
    return this.#taken
  }

  /** Returns the function that frees the place, or the limit that is reached. */
  take(owner: string | number): (() => void) | keyof PlaceLimits {
    const own = this.#ofOwner.get(owner) ?? 0
    if (this.#taken >= this.#limits.all) return 'all'
    if (own >= this.#limits.ofOwner) return 'ofOwner'
    this.#set(owner, own + 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#set(owner, (this.#ofOwner.get(owner) ?? 1) - 1)
      isHeld = false
    }
  }

  #set(owner: string | number, count: number): void {
    this.#taken += count - (this.#ofOwner.get(owner) ?? 0)
    if (count === 0) this.#ofOwner.delete(owner)
    else this.#ofOwner.set(owner, count)
  }
}
