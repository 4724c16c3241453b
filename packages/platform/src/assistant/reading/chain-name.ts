import type { ChainNames } from '../../tools/token-names.ts'
import { CHAIN_AFTER, CHAIN_FIGURES, COMMON, KNOWN_CHAINS, MAYBE_CHAIN_AFTER, VENUES } from './vocabulary.ts'
import { type Found, type Word, wordsOf } from './words.ts'

const SKIPPED = wordsOf('the id your our number my')
const FIGURES_AFTER = wordsOf('chain network mainnet block blocks gas rpc tvl pools balance balances')
const AFTER_ETH = wordsOf('block blocks mainnet rpc')
const PRICE_WORDS = wordsOf('price prices worth cost costs rate rates')
const NAME = /^[a-z][a-z0-9-]{2,31}$/
const NUMBER = /^\d{1,15}$/

/** Also returns unknown chains, so that no answer gives the default chain's figures instead. */
export function findChain(words: readonly Word[], chains: readonly ChainNames[], isToken: (word: Word) => boolean): Found<string | null> {
  const isOfPrices = words.some(({ lower }, at) => PRICE_WORDS.has(lower) && words[at - 1]?.lower !== 'gas')
  const asksFigures = !isOfPrices && words.some(({ lower }) => CHAIN_FIGURES.has(lower))
  let found: Found<string | null> = { value: null, used: [] }
  words.forEach((word, at) => {
    const { lower } = word
    const before = words.slice(0, at).findLast((earlier) => !SKIPPED.has(earlier.lower))?.lower ?? ''
    const after = words[at + 1]?.lower ?? ''
    const isNumber = NUMBER.test(lower)
    const follows = CHAIN_AFTER.has(before) && !(isNumber && before === 'on')
    const mayFollow = before === 'on' || MAYBE_CHAIN_AFTER.has(before)
    const configured = chains.find(({ names }) => names.includes(lower))
    const token = isToken(word)
    const isNamed =
      configured !== undefined
        ? follows || (!isNumber && (lower.includes('-') || FIGURES_AFTER.has(after) || (mayFollow && !token)))
        : lower === 'eth'
          ? AFTER_ETH.has(after)
          : KNOWN_CHAINS.has(lower)
            ? follows || (FIGURES_AFTER.has(after) && (asksFigures || !token)) || (asksFigures && mayFollow)
            : (isNumber && follows) || (asksFigures && mayFollow && !token && NAME.test(lower) && !COMMON.has(lower) && !VENUES.has(lower))
    if (isNamed) found = { value: configured?.name ?? (lower === 'eth' ? 'ethereum' : lower), used: [at] }
  })
  return found
}
