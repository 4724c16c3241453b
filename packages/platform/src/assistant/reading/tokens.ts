import type { ChainNames } from '../../tools/token-names.ts'
import { isNumberLike } from './amounts.ts'
import { BETWEEN, BOUGHT_AFTER, COIN_NAMES, COMMON, CURRENCIES, SOLD_AFTER } from './vocabulary.ts'
import type { Word } from './words.ts'

export interface Mention {
  /** Symbol, address in lower case, or unknown word. */
  readonly token: string
  readonly at: number
  readonly role: 'in' | 'out' | null
}

export interface Sides {
  readonly tokenIn: string | null
  readonly tokenOut: string | null
  readonly loose: string | null
}

export type Spell = (word: string) => string | null

const ADDRESS = /^0x[0-9a-f]{40}$/
const SYMBOL = /^[A-Za-z][A-Za-z0-9.+_]{1,15}$/
const MAX_SKIPPED = 6

export function spellerOf(chains: readonly ChainNames[]): Spell {
  const spelled = new Map<string, string>()
  for (const { tokens, priced } of chains)
    for (const symbol of [...tokens.map((token) => token.symbol), ...priced])
      if (!spelled.has(symbol.toLowerCase())) spelled.set(symbol.toLowerCase(), symbol)
  return (word) => {
    const lower = word.toLowerCase()
    const found = spelled.get(lower) ?? spelled.get(COIN_NAMES.get(lower) ?? '') ?? CURRENCIES.get(lower) ?? null
    // a token named like a common word must be spelled exactly
    return found !== null && COMMON.has(lower) && found !== word ? null : found
  }
}

/** A pair such as `ETH/USD` counts as two mentions. */
export function findMentions(words: readonly Word[], spell: Spell, taken: ReadonlySet<number>): readonly Mention[] {
  const isShouting = words.every(({ text }) => text === text.toUpperCase())
  const lowers = words.map(({ lower }) => lower)
  const found: Mention[] = []
  words.forEach((word, at) => {
    if (taken.has(at)) return
    const pair = pairOf(word.text, spell)
    if (pair !== null) found.push({ token: pair[0], at, role: 'in' }, { token: pair[1], at, role: 'out' })
    const unknown = !isShouting && isSymbolLike(word.text) ? word.text : null
    const token = pair !== null ? null : ADDRESS.test(word.lower) ? word.lower : (spell(word.text) ?? unknown)
    if (token === null) return
    const before = found.at(-1)
    const isWorth = before !== undefined && /^(worth )?of$/.test(lowers.slice(before.at + 1, at).join(' '))
    // "buy 100 testUSD worth of ETH" buys ETH
    if (isWorth) found.splice(-1, 1, { ...before, role: before.role === 'in' ? 'out' : 'in' })
    found.push({ token, at, role: isWorth ? before.role : roleOf(words, at, found) })
  })
  return found
}

function pairOf(text: string, spell: Spell): readonly [string, string] | null {
  const [base = '', quote = '', ...rest] = text.split(/[/-]/)
  if (quote === '' || rest.length > 0) return null
  const [one, other] = [spell(base), spell(quote)]
  if (one !== null && other !== null) return [one, other]
  return text.includes('/') && isSymbolLike(base) && isSymbolLike(quote) ? [one ?? base, other ?? quote] : null
}

function isSymbolLike(text: string): boolean {
  return SYMBOL.test(text) && /[A-Z].*[A-Z]/.test(text) && !COMMON.has(text.toLowerCase())
}

function roleOf(words: readonly Word[], at: number, before: readonly Mention[]): Mention['role'] {
  let connector = ''
  for (let i = at - 1; i >= 0 && i >= at - MAX_SKIPPED && connector === ''; i--) {
    const { lower } = words[i] as Word
    if (!BETWEEN.has(lower) && !isNumberLike(lower)) connector = lower
  }
  if (connector === 'for') {
    if (before.length > 0) return before.some(({ role }) => role === 'out') ? 'in' : 'out'
    return words.slice(0, at).some(({ lower }) => lower === 'get' || lower === 'receive') ? 'in' : null
  }
  return SOLD_AFTER.has(connector) ? 'in' : BOUGHT_AFTER.has(connector) ? 'out' : null
}

export function sidesOf(mentions: readonly Mention[]): Sides {
  const [first] = mentions
  if (first === undefined) return { tokenIn: null, tokenOut: null, loose: null }
  if (mentions.every(({ token }) => token === first.token)) {
    const isBought = mentions.some(({ role }) => role === 'out')
    const isSold = mentions.some(({ role }, i) => role === 'in' || (role === null && mentions[i + 1]?.role === 'out'))
    return { tokenIn: isSold ? first.token : null, tokenOut: isBought ? first.token : null, loose: isSold || isBought ? null : first.token }
  }
  let tokenIn = mentions.find(({ role }) => role === 'in')?.token ?? null
  let tokenOut = mentions.find(({ role, token }) => role === 'out' && token !== tokenIn)?.token ?? null
  for (const { token } of mentions) {
    if (token === tokenIn || token === tokenOut) continue
    if (tokenIn === null) tokenIn = token
    else tokenOut ??= token
  }
  return { tokenIn, tokenOut, loose: null }
}
