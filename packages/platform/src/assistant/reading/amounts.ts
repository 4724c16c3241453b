import { Decimal } from '../../market/decimal.ts'
import { AMOUNT_DIGITS } from '../../schemas/evm-input.ts'
import type { Mention, Sides } from './tokens.ts'
import { BETWEEN, COUNTED, CURRENCIES, DOLLARS, NUMBER_WORDS, SHARES } from './vocabulary.ts'
import { type Found, type Word, wordsOf } from './words.ts'

export interface Amount {
  readonly value: string
  readonly isUsd: boolean
  readonly of: 'in' | 'out' | 'loose' | null
}

const NUMBER = /^(\d{1,3}(,\d{3})+(\.\d+)?|\d+(\.\d+)?|\.\d+)$/
const NUMBER_LIKE = /^[-+]?\$?[\d.,]*\d[\d.,]*(e[-+]?\d+|[kmb]|%)?$/
const WORTH = wordsOf('of worth')
const MAX_CHARACTERS = 100
const MAX_BETWEEN = 3
const MAX_SHOWN = 24
const SHARE = 'is a share of a balance, which I cannot compute: write the amount in digits'
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/^[-+]/, 'has a sign: write an amount above zero, without one'],
  [/%$/, SHARE],
  [/e[-+]?\d+$/, 'has an exponent: write all digits'],
  [/^\$?[0.,]+[kmb]?$/, 'is zero: write an amount above zero'],
  [/[mb]$/, 'is shortened: write all digits'],
  [
    /^[^,.]*\.?[^,.]*$/,
    `has more digits than any token: at most ${AMOUNT_DIGITS.whole} before the point and ${AMOUNT_DIGITS.fraction} after it`,
  ],
  [/^/, 'can be read in two ways: write decimals with a point, as in 1.5, and thousands as 1,000 or 1000'],
]

/** Reads `1.5`, `1,000`, `$20`, `2.5k`, but not `1,5`, `5m`, `1e18`, zero. */
function readNumber(word: string): { readonly value: string; readonly isUsd: boolean } | null {
  if (word.length > MAX_CHARACTERS) return null
  const isUsd = word.startsWith('$')
  const isThousands = word.endsWith('k')
  const text = word.slice(isUsd ? 1 : 0, isThousands ? -1 : undefined)
  if (!NUMBER.test(text) || !/[1-9]/.test(text)) return null
  const [digits = '', fraction = ''] = text.replaceAll(',', '').split('.')
  const whole = digits.replace(/^0+(?=\d)/, '') || '0'
  if (whole.length > AMOUNT_DIGITS.whole || fraction.length > AMOUNT_DIGITS.fraction) return null
  const written = fraction === '' ? whole : `${whole}.${fraction}`
  return { value: isThousands ? new Decimal(written).mul(1_000).toFixed() : written, isUsd }
}

export function isNumberLike(lower: string): boolean {
  return NUMBER_LIKE.test(lower.slice(0, MAX_CHARACTERS)) || NUMBER_WORDS.has(lower) || SHARES.has(lower)
}

export function findMoney(words: readonly Word[]): Found<ReadonlyMap<number, 'usd' | 'foreign'>> {
  const lower = (at: number) => words[at]?.lower ?? ''
  const value = new Map<number, 'usd' | 'foreign'>()
  const used: number[] = []
  for (const at of words.keys()) {
    const next = lower(at + 1)
    const currencyAt = DOLLARS.has(next) || CURRENCIES.has(next) ? at + 1 : at - 1
    const currency = DOLLARS.has(next) ? 'usd' : CURRENCIES.has(lower(currencyAt)) ? 'foreign' : null
    // "5 usd" may also mean five tokens named USD
    const isMoney = WORTH.has(lower(Math.max(at, currencyAt) + 1)) || (currency === 'usd' && next !== 'usd')
    if (currency === null || !isMoney || !isNumberLike(lower(at))) continue
    value.set(at, currency)
    used.push(currencyAt)
  }
  return { value, used }
}

export interface Places {
  readonly words: readonly Word[]
  readonly mentions: readonly Mention[]
  readonly money: ReadonlyMap<number, 'usd' | 'foreign'>
  readonly taken: ReadonlySet<number>
}

/** Prefers the amount before the sold token, then before another token. `unread` says why text cannot be read as an amount. */
export function findAmount(places: Places, sides: Sides): { readonly amount: Amount | null; readonly unread: string | null } {
  const { words, money, taken } = places
  const amounts: { value: string; isUsd: boolean; token: string | null }[] = []
  for (const [at, { text, lower }] of words.entries()) {
    const next = words[at + 1]?.lower ?? ''
    if (taken.has(at) || COUNTED.has(next)) continue
    const number = readNumber(lower)
    const isDollars = money.get(at) === 'usd'
    const token = tokenAfter(places, at + (isDollars ? 2 : 1))
    const isPlaced = token !== null || WORTH.has(next) || at === words.length - 1
    if (number !== null && money.get(at) !== 'foreign') amounts.push({ value: number.value, isUsd: number.isUsd || isDollars, token })
    // "50% of 2 ETH" is not 2 ETH
    else if (NUMBER_LIKE.test(lower.slice(0, MAX_CHARACTERS)) || (isPlaced && isNumberLike(lower)))
      return { amount: null, unread: `"${text.slice(0, MAX_SHOWN)}" ${faultOf(lower, number !== null)}.` }
  }
  const before = (side: string | null) => (side === null ? undefined : amounts.find(({ token }) => token === side))
  const [sold, bought, loose] = [before(sides.tokenIn), before(sides.tokenOut), before(sides.loose)]
  const found = sold ?? bought ?? loose ?? (amounts.length === 1 ? amounts[0] : undefined)
  if (found === undefined) return { amount: null, unread: null }
  const of = found === sold ? 'in' : found === bought ? 'out' : found === loose ? 'loose' : null
  return { amount: { value: found.value, isUsd: found.isUsd, of }, unread: null }
}

function faultOf(lower: string, isForeignMoney: boolean): string {
  if (isForeignMoney) return 'is in money that I have no price for: write the amount in dollars or in units of the token'
  if (SHARES.has(lower)) return SHARE
  if (NUMBER_WORDS.has(lower)) return 'is a word: write the number in digits, such as 1.5'
  return FAULTS.find(([pattern]) => pattern.test(lower))?.[1] ?? ''
}

function tokenAfter({ words, mentions }: Places, from: number): string | null {
  const isNext = (at: number) => at >= from && at - from <= MAX_BETWEEN && words.slice(from, at).every(({ lower }) => BETWEEN.has(lower))
  return mentions.find(({ at }) => isNext(at))?.token ?? null
}
