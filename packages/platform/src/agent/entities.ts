/** Extracts the entities of a text: tokens, amount, chain, addresses, hashes, a block. It guesses nothing: a missing part is null. */
import type { ChainNames } from '../tools/token-names.ts'
import { amountFault, isAmountWord, readBasisPoints } from './amounts.ts'
import { type FoundAmount, findAmount, findDollars, findForeignMoney, findUnreadAmount } from './find-amount.ts'
import { findChain } from './find-chain.ts'
import { findMentions, type Sides, sidesOf, symbolsOf } from './find-tokens.ts'
import { wordsOf } from './lexicon.ts'
import { findPeriod, type Period } from './period.ts'
import { type Found, splitWords, type Word } from './words.ts'

export interface Entities extends Sides, FoundAmount {
  /** Why there is no amount though something stands in its place, as a sentence. */
  readonly unreadAmount: string | null
  readonly chain: string | null
  readonly slippageBps: number | null
  readonly period: Period | null
  /** In lower case, in order; with the right checksum or none. */
  readonly addresses: readonly string[]
  /** As written, for those whose checksum is to be judged. */
  readonly writtenAddresses: readonly string[]
  readonly hashes: readonly string[]
  readonly blockNumber: number | null
  readonly bitcoinAddress: string | null
  /** Hex without 0x, long enough for a transaction. */
  readonly rawTransaction: string | null
}

export interface ReadText {
  readonly text: string
  readonly words: readonly Word[]
  /** Lower-case words that belong to no entity. */
  readonly rest: readonly string[]
  readonly entities: Entities
}

const BITCOIN_ADDRESS = /^((bc1|tb1|bcrt1)[02-9ac-hj-np-z]{8,90}|[13][1-9A-HJ-NP-Za-km-z]{25,39})$/i
const ADDRESS = /^0x[0-9a-f]{40}$/
const HASH = /^0x[0-9a-f]{64}$/
const RAW_TRANSACTION = /^[0-9a-f]{120,}$/
const MAX_LISTED = 8

/** A word is what the first of the steps that knows it takes it for; the steps after that one leave it alone. */
export function readText(text: string, chains: readonly ChainNames[]): ReadText {
  const symbols = symbolsOf(chains)
  const isToken = (word: string) => symbols.spelled(word) !== null
  const words = separateUnits(splitWords(text), isToken)
  const taken = new Set<number>()
  const take = <T>({ value, used }: Found<T>): T => {
    for (const at of used) taken.add(at)
    return value
  }
  const chain = take(findChain(words, chains, (word) => isToken(word.text)))
  const blockNumber = take(findBlockNumber(words, taken))
  const slippageBps = take(findSlippage(words))
  const period = take(findPeriod(words))
  const dollars = take(findDollars(words))
  const foreignMoney = take(findForeignMoney(words))
  const mentions = findMentions(words, symbols, taken)
  const sides = sidesOf(mentions)
  const places = { words, mentions, dollars, foreignMoney, taken }
  const amount = findAmount(places, sides)
  return {
    text,
    words,
    rest: restOf(words, new Set([...taken, ...mentions.map(({ at }) => at)])),
    entities: {
      ...{ ...sides, ...amount, chain, blockNumber, slippageBps, period },
      unreadAmount: amount.amount === null && amount.share === null ? findUnreadAmount(places) : null,
      ...literalsOf(words),
    },
  }
}

/** Amounts and words in the form of an address or a hash are entities in any position. */
function restOf(words: readonly Word[], used: ReadonlySet<number>): readonly string[] {
  return words.flatMap(({ text, lower }, at) => {
    const isEntity = used.has(at) || isAmountWord(lower) || amountFault(lower) !== null || ADDRESS.test(lower) || HASH.test(lower)
    return isEntity || BITCOIN_ADDRESS.test(text) ? [] : [lower]
  })
}

/** What is known by its form alone, wherever it stands. */
function literalsOf(
  words: readonly Word[],
): Pick<Entities, 'addresses' | 'writtenAddresses' | 'hashes' | 'bitcoinAddress' | 'rawTransaction'> {
  const written = words.filter(({ lower }) => ADDRESS.test(lower)).slice(0, MAX_LISTED)
  return {
    addresses: written.map(({ lower }) => lower),
    writtenAddresses: written.map(({ text }) => text),
    hashes: words.flatMap(({ lower }) => (HASH.test(lower) ? [lower] : [])).slice(0, MAX_LISTED),
    bitcoinAddress: words.find(({ text }) => BITCOIN_ADDRESS.test(text))?.text ?? null,
    rawTransaction: words.find(({ lower }) => RAW_TRANSACTION.test(lower))?.lower ?? null,
  }
}

/** `1.5ETH` is two words where the rest is a token. */
function separateUnits(words: readonly Word[], isToken: (word: string) => boolean): readonly Word[] {
  return words.flatMap((word) => {
    const [, number = '', unit = ''] = /^(\$?[\d.,]{1,80}?)([A-Za-z][A-Za-z0-9.+_-]{1,31})$/.exec(word.text) ?? []
    if (number === '' || !isToken(unit)) return [word]
    return [number, unit].map((text) => ({ text, lower: text.toLowerCase() }))
  })
}

/** Between `block` and its number. */
const BEFORE_NUMBER = wordsOf('number no nr height block at is')

function findBlockNumber(words: readonly Word[], taken: ReadonlySet<number>): Found<number | null> {
  for (const [at, { lower }] of words.entries()) {
    const digits = /^#?(\d{1,15})$/.exec(lower)?.[1]
    if (digits === undefined || taken.has(at)) continue
    const before = words.slice(Math.max(0, at - 3), at).map((word) => word.lower)
    const isNamed = before.some(
      (word, i) => /^(block|height)$/.test(word) && before.slice(i + 1).every((between) => BEFORE_NUMBER.has(between)),
    )
    if (isNamed) return { value: Number(digits), used: [at] }
  }
  return { value: null, used: [] }
}

/** The first share near the word. */
function findSlippage(words: readonly Word[]): Found<number | null> {
  const isNear = (at: number) => words.slice(Math.max(0, at - 4), at + 4).some(({ lower }) => lower === 'slippage')
  for (const [at, { lower }] of words.entries()) {
    const points = isNear(at) ? readBasisPoints(lower, words[at + 1]?.lower) : null
    if (points !== null) return { value: points, used: [at] }
  }
  return { value: null, used: [] }
}
