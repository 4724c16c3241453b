/**
 * Returns one copy of equal texts, so that nodes that store the same chain do not each hold it in memory. Remembers the
 * latest texts only, because nodes store a block within seconds of each other; a text that comes later is a second copy.
 */
const MAX_GENERATION = 32_768

export class SharedTexts {
  #latest = new Map<string, string>()
  #earlier = new Map<string, string>()

  share(text: string): string {
    const known = this.#latest.get(text)
    if (known !== undefined) return known
    const shared = this.#earlier.get(text) ?? text
    if (this.#latest.size >= MAX_GENERATION) {
      this.#earlier = this.#latest
      this.#latest = new Map()
    }
    this.#latest.set(shared, shared)
    return shared
  }
}
