import { setBounded } from '../../market/chain/block-memo.ts'
import type { ChainNames } from '../../tools/token-names.ts'
import { severalQuestions } from './question.ts'
import { type ReadText, readText } from './read-text.ts'

export interface TextReading {
  readonly read: ReadText
  readonly parts: readonly string[]
}

const MAX_TEXTS = 1_000
const MAX_CHARACTERS = 500

/** Each turn reads earlier messages again, so results are cached. */
export class TextReader {
  readonly #known = new Map<string, TextReading>()
  #chains: readonly ChainNames[] = []

  read(text: string, chains: readonly ChainNames[]): TextReading {
    if (chains.length !== this.#chains.length || chains.some((names, i) => names !== this.#chains[i])) {
      this.#known.clear()
      this.#chains = chains
    }
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const reading = { read: readText(text, chains), parts: severalQuestions(text, chains) }
    if (text.length <= MAX_CHARACTERS) setBounded(this.#known, text, reading, MAX_TEXTS)
    return reading
  }
}
