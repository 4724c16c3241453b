/** Limits places per owner; each kind of owner has its own limit. */
export class Places<K extends string> {
  readonly #limits: Readonly<Record<K, number>>
  readonly #taken = new Map<string, number>()

  constructor(limits: Readonly<Record<K, number>>) {
    this.#limits = limits
  }

  taken(kind: K, owner: string | number = ''): number {
    return this.#taken.get(`${kind} ${owner}`) ?? 0
  }

  /** Returns a function that frees the places, or the kind whose limit is reached. */
  take(owners: Partial<Readonly<Record<K, string | number>>>): (() => void) | K {
    const entries = Object.entries(owners) as [K, string | number][]
    const full = entries.find(([kind, owner]) => this.taken(kind, owner) >= this.#limits[kind])
    if (full !== undefined) return full[0]
    for (const [kind, owner] of entries) this.#taken.set(`${kind} ${owner}`, this.taken(kind, owner) + 1)
    let isHeld = true
    return () => {
      for (const [kind, owner] of isHeld ? entries : []) {
        const left = this.taken(kind, owner) - 1
        if (left === 0) this.#taken.delete(`${kind} ${owner}`)
        else this.#taken.set(`${kind} ${owner}`, left)
      }
      isHeld = false
    }
  }
}
