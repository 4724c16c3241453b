import { RecentMap } from '../core/recent-map.ts'

const MAX_GENERATION = 16_384

export interface SharedEntry {
  readonly key: string
  readonly value: string
}

/**
 * Returns one copy of equal keys and values, so that nodes that store the same chain do not each hold it in memory. Remembers the
 * latest entries only, because nodes store a block within seconds of each other; an entry that comes later is a second copy.
 */
export class SharedTexts {
  readonly #recent = new RecentMap<SharedEntry>(MAX_GENERATION)

  share(key: string, value: string): SharedEntry {
    const known = this.#recent.get(key, () => ({ key, value }))
    return known.value === value ? known : { key: known.key, value }
  }
}
