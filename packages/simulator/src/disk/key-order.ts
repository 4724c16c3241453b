/** The sorted keys of a disk, sorted when somebody asks: nodes read ranges far more seldom than they write. */
import { SortedKeys } from './sorted-keys.ts'

export class KeyOrder {
  readonly #exists: (key: string) => boolean
  readonly #sorted = new SortedKeys()
  /** Keys that came or went since the last read; a key can occur several times. */
  #touched: string[] = []

  constructor(exists: (key: string) => boolean) {
    this.#exists = exists
  }

  /** `key` came or went. */
  touch(key: string): void {
    this.#touched.push(key)
  }

  get sorted(): SortedKeys {
    for (const key of this.#touched) {
      const known = this.#sorted.has(key)
      if (known === this.#exists(key)) continue
      if (known) this.#sorted.delete(key)
      else this.#sorted.add(key)
    }
    this.#touched = []
    return this.#sorted
  }
}
