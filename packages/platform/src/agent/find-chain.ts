/**
 * Finds the chain that a text names, including chains that are not configured, so that the answer refuses those instead of
 * showing the figures of another chain.
 */
import type { ChainNames } from '../tools/token-names.ts'
import { CHAIN_AFTER, CHAIN_BEFORE, CHAIN_FIGURES, CHAIN_MAYBE_BEFORE, COMMON, PRICE_WORDS, UNITS, WELL_KNOWN_CHAINS } from './lexicon.ts'
import type { Found, Word } from './words.ts'

/** `eth` means the chain only before these words; elsewhere it means the coin. */
const AFTER_COIN: ReadonlySet<string> = new Set(['block', 'blocks', 'mainnet', 'rpc'])
const NAME_FORM = /^[a-z][a-z0-9-]{2,31}$/
const NUMBER = /^\d{1,15}$/

/**
 * Returns the last chain named, by its name in the configuration, or as written when no such chain is configured; null
 * when the text names none. `isToken` returns true for words that are tokens rather than chains.
 */
export function findChain(words: readonly Word[], chains: readonly ChainNames[], isToken: (word: Word) => boolean): Found<string | null> {
  const asksFigures = words.some(({ lower }) => CHAIN_FIGURES.has(lower)) && !isOfPrices(words)
  let found: Found<string | null> = { value: null, used: [] }
  words.forEach((word, i) => {
    const before = wordBefore(words, i)
    const after = words[i + 1]?.lower
    const configured = chains.find(({ names }) => names.includes(word.lower)) ?? null
    const place = { word, before, after, isToken: isToken(word) }
    if (configured === null ? isOther(place, asksFigures) : isConfigured(place))
      found = { value: configured?.name ?? (word.lower === 'eth' ? 'ethereum' : word.lower), used: [i] }
  })
  return found
}

interface Place {
  readonly word: Word
  readonly before: string | null
  readonly after: string | undefined
  readonly isToken: boolean
}

function isConfigured({ word, before, after, isToken }: Place): boolean {
  const isNumber = NUMBER.test(word.lower)
  if (before !== null && CHAIN_BEFORE.has(before) && !(isNumber && before === 'on')) return true
  if (isNumber) return false
  const isNamed = (after !== undefined && CHAIN_AFTER.has(after)) || (before !== null && CHAIN_MAYBE_BEFORE.has(before) && !isToken)
  return word.lower.includes('-') || isNamed
}

/** `asksFigures`: the text asks for a figure that differs by chain, such as blocks or value locked. */
function isOther({ word: { lower }, before, after, isToken }: Place, asksFigures: boolean): boolean {
  if (lower === 'eth') return after !== undefined && AFTER_COIN.has(after)
  const isWellKnown = WELL_KNOWN_CHAINS.has(lower)
  if (before !== null && CHAIN_BEFORE.has(before)) {
    if (isWellKnown || (NUMBER.test(lower) && before !== 'on')) return true
  } else if (isWellKnown && after !== undefined && CHAIN_AFTER.has(after) && (asksFigures || !isToken)) return true
  if (!asksFigures || before === null || !CHAIN_MAYBE_BEFORE.has(before)) return false
  return isWellKnown || (!isToken && NAME_FORM.test(lower) && !COMMON.has(lower) && !UNITS.has(lower))
}

/** `gas price` is not a price of a token. */
function isOfPrices(words: readonly Word[]): boolean {
  return words.some(({ lower }, i) => PRICE_WORDS.has(lower) && words[i - 1]?.lower !== 'gas')
}

/** Without `the`, `id` and `number`, which may stand between. */
function wordBefore(words: readonly Word[], i: number): string | null {
  for (let at = i - 1; at >= 0 && at >= i - 3; at--) {
    const { lower } = words[at] as Word
    if (!['the', 'id', 'your', 'our', 'number', 'my'].includes(lower)) return lower
  }
  return null
}
