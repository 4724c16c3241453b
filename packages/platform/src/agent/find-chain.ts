/** The chain that a text names. */
import type { ChainNames } from '../toolbox/token-names.ts'
import { CHAIN_AFTER, CHAIN_BEFORE, CHAIN_MAYBE_BEFORE, WELL_KNOWN_CHAINS } from './lexicon.ts'
import type { Found, Word } from './words.ts'

/**
 * Its name in the configuration, or the word itself where no such chain is configured: the last one that is named, null
 * when none is. `isToken` says which words would rather be tokens.
 */
export function findChain(words: readonly Word[], chains: readonly ChainNames[], isToken: (word: Word) => boolean): Found<string | null> {
  let found: Found<string | null> = { value: null, used: [] }
  words.forEach((word, i) => {
    const before = wordBefore(words, i)
    const after = words[i + 1]?.lower
    const configured = chains.find(({ names }) => names.includes(word.lower)) ?? null
    const isNumber = /^\d{1,15}$/.test(word.lower)
    const named =
      before !== null && CHAIN_BEFORE.has(before) && !(isNumber && before === 'on')
        ? configured !== null || isNumber || WELL_KNOWN_CHAINS.has(word.lower)
        : configured !== null &&
          !isNumber &&
          (word.lower.includes('-') ||
            (after !== undefined && CHAIN_AFTER.has(after)) ||
            (before !== null && CHAIN_MAYBE_BEFORE.has(before) && !isToken(word)))
    if (named) found = { value: configured?.name ?? word.lower, used: [i] }
  })
  return found
}

/** Without `the`, `id` and `number`, which may stand between. */
function wordBefore(words: readonly Word[], i: number): string | null {
  for (let at = i - 1; at >= 0 && at >= i - 3; at--) {
    const { lower } = words[at] as Word
    if (!['the', 'id', 'your', 'our', 'number', 'my'].includes(lower)) return lower
  }
  return null
}
