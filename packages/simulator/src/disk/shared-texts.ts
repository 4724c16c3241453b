import { RecentMap } from '../core/recent-map.ts'

const MAX_GENERATION = 32_768

/**
 * Returns one copy of equal texts, so that nodes that store the same chain do not each hold it in memory. Remembers the
 * latest texts only, because nodes store a block within seconds of each other; a text that comes later is a second copy.
 */
export class SharedTexts {
  readonly #recent = new RecentMap<string>(MAX_GENERATION)

  share(text: string): string {
    return this.#recent.get(text, () => text)
  }
}
