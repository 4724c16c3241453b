/** What a text is about: tokens, amount, chain, addresses, hashes, a block. Nothing is guessed: what is not there is null. */
import type { ChainNames } from '../toolbox/token-names.ts'
import { readAmount, readBasisPoints } from './amounts.ts'
import { findChain } from './find-chain.ts'
import { findMentions, type Mention, symbolsOf } from './find-tokens.ts'
import { COUNTED, DOLLAR_WORDS } from './lexicon.ts'
import { splitWords, type Word } from './words.ts'

export interface Entities {
  /** What the text says is sold, as symbol or address. */
  readonly tokenIn: string | null
  readonly tokenOut: string | null
  /** A token whose side the text does not say. */
  readonly loose: string | null
  readonly amount: string | null
  /** Of which side the amount is; null when it stands alone. */
  readonly amountOf: 'in' | 'out' | 'loose' | null
  readonly amountCurrency: 'token_units' | 'usd'
  readonly chain: string | null
  readonly slippageBps: number | null
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
  readonly words: readonly Word[]
  readonly entities: Entities
}

const BITCOIN_ADDRESS = /^((bc1|tb1|bcrt1)[02-9ac-hj-np-z]{8,90}|[13][1-9A-HJ-NP-Za-km-z]{25,39})$/i
const ADDRESS = /^0x[0-9a-f]{40}$/
const HASH = /^0x[0-9a-f]{64}$/
const RAW_TRANSACTION = /^[0-9a-f]{120,}$/
const MAX_LISTED = 8

export function readText(text: string, chains: readonly ChainNames[]): ReadText {
  const symbols = symbolsOf(chains)
  const words = separateUnits(splitWords(text), (word) => symbols.spelled(word) !== null)
  const chain = findChain(words, chains, ({ text: word }) => symbols.spelled(word) !== null)
  const taken = new Set<number>(chain?.used)
  const blockNumber = findBlockNumber(words, taken)
  const slippageBps = findSlippage(words, taken)
  const bitcoinAddress = words.find(({ text: word }) => BITCOIN_ADDRESS.test(word))?.text ?? null
  const dollars = findDollars(words, taken)
  const mentions = findMentions(words, symbols, taken)
  const written = words.filter(({ lower }) => ADDRESS.test(lower)).slice(0, MAX_LISTED)
  return {
    words,
    entities: {
      ...sidesOf(mentions),
      ...findAmount(words, mentions, dollars, taken),
      chain: chain?.name ?? null,
      slippageBps,
      addresses: written.map(({ lower }) => lower),
      writtenAddresses: written.map(({ text: word }) => word),
      hashes: words.flatMap(({ lower }) => (HASH.test(lower) ? [lower] : [])).slice(0, MAX_LISTED),
      blockNumber,
      bitcoinAddress,
      rawTransaction: words.find(({ lower }) => RAW_TRANSACTION.test(lower))?.lower ?? null,
    },
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

function findBlockNumber(words: readonly Word[], taken: Set<number>): number | null {
  for (const [i, { lower }] of words.entries()) {
    const digits = /^#?(\d{1,15})$/.exec(lower)?.[1]
    const before = words.slice(Math.max(0, i - 3), i).map((word) => word.lower)
    const isNamed = before.some(
      (word, at) => /^(block|height)$/.test(word) && before.slice(at + 1).every((between) => BETWEEN.has(between)),
    )
    if (digits === undefined || taken.has(i) || !isNamed) continue
    taken.add(i)
    return Number(digits)
  }
  return null
}
const BETWEEN: ReadonlySet<string> = new Set(['number', 'no', 'nr', 'height', 'block', 'at', 'is'])

function findSlippage(words: readonly Word[], taken: Set<number>): number | null {
  const isNear = (i: number) => words.slice(Math.max(0, i - 4), i + 4).some(({ lower }) => lower === 'slippage')
  let found: number | null = null
  for (const [i, { lower }] of words.entries()) {
    const points = readBasisPoints(lower, words[i + 1]?.lower)
    if (points === null) continue
    taken.add(i)
    if (found === null && isNear(i)) found = points
  }
  return found
}

/** Places of numbers that are dollars by the word after them. The word is taken, so that it is no token. */
function findDollars(words: readonly Word[], taken: Set<number>): ReadonlySet<number> {
  const found = new Set<number>()
  words.forEach(({ lower }, i) => {
    const follows = words.slice(i + 1, i + 3).map((word) => word.lower)
    const isWorthOf = follows[0] === 'of' || follows[0] === 'worth'
    if (!DOLLAR_WORDS.has(lower) || readAmount(words[i - 1]?.lower ?? '') === null || !(isWorthOf || lower !== 'usd')) return
    found.add(i - 1)
    taken.add(i)
  })
  return found
}

function sidesOf(mentions: readonly Mention[]): Pick<Entities, 'tokenIn' | 'tokenOut' | 'loose'> {
  const sole = new Set(mentions.map(({ token }) => token)).size === 1
  const [first] = mentions
  if (sole && first !== undefined) {
    const role = mentions.find((mention) => mention.role !== null)?.role ?? null
    const { token } = first
    return { tokenIn: role === 'in' ? token : null, tokenOut: role === 'out' ? token : null, loose: role === null ? token : null }
  }
  let tokenIn = mentions.find(({ role }) => role === 'in')?.token ?? null
  let tokenOut = mentions.find(({ role, token }) => role === 'out' && token !== tokenIn)?.token ?? null
  for (const { token } of mentions) {
    if (token === tokenIn || token === tokenOut) continue
    if (tokenIn === null) tokenIn = token
    else if (tokenOut === null) tokenOut = token
  }
  return { tokenIn, tokenOut, loose: null }
}

type FoundAmount = Pick<Entities, 'amount' | 'amountOf' | 'amountCurrency'>

/** The amount before the token that is sold, else before another, else the only number that stands alone. */
function findAmount(
  words: readonly Word[],
  mentions: readonly Mention[],
  dollars: ReadonlySet<number>,
  taken: ReadonlySet<number>,
): FoundAmount {
  const sides = sidesOf(mentions)
  const amounts = words.flatMap(({ lower }, at) => {
    const read = taken.has(at) ? null : readAmount(lower)
    const next = words[at + 1]?.lower ?? ''
    if (read === null || (COUNTED.has(next) && !dollars.has(at))) return []
    const mention = mentions.find((candidate) => candidate.at > at && onlyFiller(words, at, candidate.at, dollars.has(at))) ?? null
    const isDollars = read.isDollars || dollars.has(at)
    return [{ amount: read.amount, currency: isDollars ? ('usd' as const) : ('token_units' as const), token: mention?.token ?? null }]
  })
  const of = (token: string | null) => (token === null ? undefined : amounts.find((found) => found.token === token))
  const [sold, bought, loose] = [of(sides.tokenIn), of(sides.tokenOut), of(sides.loose)]
  const alone = amounts.length === 1 ? amounts[0] : undefined
  const found = sold ?? bought ?? loose ?? alone
  if (found === undefined) return { amount: null, amountOf: null, amountCurrency: 'token_units' }
  const amountOf = found === sold ? 'in' : found === bought ? 'out' : found === loose ? 'loose' : null
  return { amount: found.amount, amountOf, amountCurrency: found.currency }
}

const FILLER: ReadonlySet<string> = new Set(['of', 'worth', 'the', 'my', 'more'])

function onlyFiller(words: readonly Word[], amountAt: number, tokenAt: number, isDollars: boolean): boolean {
  const from = amountAt + (isDollars ? 2 : 1)
  return tokenAt - from <= 3 && words.slice(from, tokenAt).every(({ lower }) => FILLER.has(lower))
}
