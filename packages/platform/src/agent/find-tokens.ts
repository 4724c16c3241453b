/** The tokens that a text names, and which of them is sold and which is bought. */
import type { ChainNames } from '../tools/token-names.ts'
import { isAmountWord } from './amounts.ts'
import { BOUGHT_AFTER, COIN_NAMES, COMMON, CURRENCIES, SKIPPED, SOLD_AFTER } from './lexicon.ts'
import type { Word } from './words.ts'

export interface Mention {
  /** Symbol as the configuration spells it, the address in lower case, or the word itself for what is not known. */
  readonly token: string
  readonly at: number
  readonly role: 'in' | 'out' | null
}

export interface Sides {
  /** What the text says is sold, as symbol or address. */
  readonly tokenIn: string | null
  readonly tokenOut: string | null
  /** A token whose side the text does not say. */
  readonly loose: string | null
}

export interface Symbols {
  /** Spelling of the configuration; null for what it has not. */
  spelled(word: string): string | null
}

const ADDRESS = /^0x[0-9a-f]{40}$/
const SYMBOL_FORM = /^[A-Za-z][A-Za-z0-9.+_]{1,15}$/

export function symbolsOf(chains: readonly ChainNames[]): Symbols {
  const spelled = new Map<string, string>()
  for (const { tokens, priced } of chains) {
    for (const symbol of [...tokens.map((token) => token.symbol), ...priced]) {
      if (!spelled.has(symbol.toLowerCase())) spelled.set(symbol.toLowerCase(), symbol)
    }
  }
  return {
    spelled(word) {
      const lower = word.toLowerCase()
      const found = spelled.get(lower) ?? spelled.get(COIN_NAMES.get(lower) ?? '') ?? CURRENCIES.get(lower) ?? null
      // a token may be called like a common word: then only its own spelling means it
      return found !== null && COMMON.has(lower) && found !== word ? null : found
    },
  }
}

/** In order; the two sides of a pair are two. `taken` are words that are something else. */
export function findMentions(words: readonly Word[], symbols: Symbols, taken: ReadonlySet<number>): readonly Mention[] {
  const shouting = words.every(({ text }) => text === text.toUpperCase())
  const found: Mention[] = []
  words.forEach((word, at) => {
    if (taken.has(at)) return
    const pair = pairOf(word, symbols)
    if (pair !== null) {
      found.push({ token: pair[0], at, role: 'in' }, { token: pair[1], at, role: 'out' })
      return
    }
    const token = ADDRESS.test(word.lower) ? word.lower : (symbols.spelled(word.text) ?? unknownSymbol(words, at, shouting))
    if (token !== null) found.push({ token, at, role: roleOf(words, at, found) })
  })
  return found
}

/** `ETH/USD`, and `ETH-USD` where both are known. */
function pairOf({ text }: Word, symbols: Symbols): readonly [string, string] | null {
  for (const separator of ['/', '-']) {
    const parts = text.split(separator)
    const [base = '', quote = ''] = parts
    if (parts.length !== 2 || base === '' || quote === '') continue
    const [one, other] = [symbols.spelled(base), symbols.spelled(quote)]
    if (one !== null && other !== null) return [one, other]
    if (separator === '/' && isSymbolLike(base) && isSymbolLike(quote)) return [one ?? base, other ?? quote]
  }
  return null
}

/** Something in the place of a token that the configuration does not have: the answer says so rather than guess. */
function unknownSymbol(words: readonly Word[], at: number, shouting: boolean): string | null {
  const { text, lower } = words[at] as Word
  if (COMMON.has(lower) || !SYMBOL_FORM.test(text)) return null
  const before = words[at - 1]?.lower ?? ''
  const after = words[at + 1]?.lower ?? ''
  const afterNumber = /^\$?[\d.,]+k?$/.test(before)
  if (afterNumber && ['to', 'for', 'into'].includes(after)) return text
  if (!isSymbolLike(text)) return null
  const connector = connectorBefore(words, at)
  if (afterNumber) return text
  if (connector === null || !(SOLD_AFTER.has(connector) || BOUGHT_AFTER.has(connector) || PLACES.has(connector))) return null
  return shouting && !STRICT_PLACES.has(connector) ? null : text
}

const PLACES: ReadonlySet<string> = new Set(['for', 'in', 'of', 'price', 'quote', 'is', 'against', 'vs'])
const STRICT_PLACES: ReadonlySet<string> = new Set(['to', 'for', 'into', 'with', 'buy', 'sell', 'swap'])

function isSymbolLike(text: string): boolean {
  return SYMBOL_FORM.test(text) && /[A-Z].*[A-Z]/.test(text) && !COMMON.has(text.toLowerCase())
}

function roleOf(words: readonly Word[], at: number, before: readonly Mention[]): Mention['role'] {
  const connector = connectorBefore(words, at)
  if (connector === null) return null
  if (connector === 'for') {
    if (before.length > 0) return before.some(({ role }) => role === 'out') ? 'in' : 'out'
    return words.slice(0, at).some(({ lower }) => lower === 'get' || lower === 'receive') ? 'in' : null
  }
  if (connector === 'in') return 'out'
  if (SOLD_AFTER.has(connector)) return 'in'
  return BOUGHT_AFTER.has(connector) ? 'out' : null
}

/** Of two tokens each has a side. One alone has the side that the text says, or both when it is said of both. */
export function sidesOf(mentions: readonly Mention[]): Sides {
  const [first] = mentions
  if (first === undefined) return { tokenIn: null, tokenOut: null, loose: null }
  if (mentions.every(({ token }) => token === first.token)) return sidesOfOne(mentions, first.token)
  let tokenIn = mentions.find(({ role }) => role === 'in')?.token ?? null
  let tokenOut = mentions.find(({ role, token }) => role === 'out' && token !== tokenIn)?.token ?? null
  for (const { token } of mentions) {
    if (token === tokenIn || token === tokenOut) continue
    if (tokenIn === null) tokenIn = token
    else if (tokenOut === null) tokenOut = token
  }
  return { tokenIn, tokenOut, loose: null }
}

/** `1 ETH for ETH`: the second is bought with the first. */
const MAX_APART = 3

function sidesOfOne(mentions: readonly Mention[], token: string): Sides {
  const isBought = mentions.some(({ role }) => role === 'out')
  const isSold = mentions.some(({ role, at }, i) => {
    const next = mentions[i + 1]
    return role === 'in' || (role === null && next?.role === 'out' && next.at - at <= MAX_APART)
  })
  return { tokenIn: isSold ? token : null, tokenOut: isBought ? token : null, loose: isSold || isBought ? null : token }
}

const AMOUNT_LIKE = /^\$?[\d.,]+%?$/
const MAX_SKIPPED = 6

/** The word before the token, its amount and articles. */
function connectorBefore(words: readonly Word[], at: number): string | null {
  for (let i = at - 1; i >= 0 && i >= at - MAX_SKIPPED; i--) {
    const { lower } = words[i] as Word
    if (!SKIPPED.has(lower) && !AMOUNT_LIKE.test(lower) && !isAmountWord(lower)) return lower
  }
  return null
}
