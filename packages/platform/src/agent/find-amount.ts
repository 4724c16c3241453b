/** The amount of a text, of which token it is, and why one that is there cannot be read. */
import { amountFault, readAmount } from './amounts.ts'
import type { Mention, Sides } from './find-tokens.ts'
import { COUNTED, DOLLAR_WORDS, wordsOf } from './lexicon.ts'
import type { Found, Word } from './words.ts'

export interface FoundAmount {
  readonly amount: string | null
  /** Of which side the amount is; null when it stands alone. */
  readonly amountOf: 'in' | 'out' | 'loose' | null
  readonly amountCurrency: 'token_units' | 'usd'
}

export const NO_AMOUNT: FoundAmount = { amount: null, amountOf: null, amountCurrency: 'token_units' }

/** Between an amount and its token. */
const FILLER = wordsOf('of worth the my more')
const MAX_FILLER = 3
/** Of what a user wrote. */
const MAX_SHOWN = 24

/** Places of numbers that are dollars by the word after them. That word is used, so that it is no token. */
export function findDollars(words: readonly Word[]): Found<ReadonlySet<number>> {
  const numbers = new Set<number>()
  const used: number[] = []
  words.forEach(({ lower }, at) => {
    const next = words[at + 1]?.lower
    const isWorthOf = next === 'of' || next === 'worth'
    if (!DOLLAR_WORDS.has(lower) || readAmount(words[at - 1]?.lower ?? '') === null || !(isWorthOf || lower !== 'usd')) return
    numbers.add(at - 1)
    used.push(at)
  })
  return { value: numbers, used }
}

interface Places {
  readonly words: readonly Word[]
  readonly mentions: readonly Mention[]
  readonly dollars: ReadonlySet<number>
  /** Words that are something else. */
  readonly taken: ReadonlySet<number>
}

/** The amount before the token that is sold, else before another, else the only number that stands alone. */
export function findAmount(places: Places, sides: Sides): FoundAmount {
  const amounts = amountsOf(places)
  const before = (token: string | null) => (token === null ? undefined : amounts.find((found) => found.token === token))
  const [sold, bought, loose] = [before(sides.tokenIn), before(sides.tokenOut), before(sides.loose)]
  const alone = amounts.length === 1 ? amounts[0] : undefined
  const found = sold ?? bought ?? loose ?? alone
  if (found === undefined) return NO_AMOUNT
  const amountOf = found === sold ? 'in' : found === bought ? 'out' : found === loose ? 'loose' : null
  return { amount: found.amount, amountOf, amountCurrency: found.currency }
}

function amountsOf({ words, mentions, dollars, taken }: Places) {
  return words.flatMap(({ lower }, at) => {
    const read = taken.has(at) ? null : readAmount(lower)
    if (read === null || (isCounted(words, at) && !dollars.has(at))) return []
    const from = at + (dollars.has(at) ? 2 : 1)
    const currency: FoundAmount['amountCurrency'] = read.isDollars || dollars.has(at) ? 'usd' : 'token_units'
    return [{ amount: read.amount, currency, token: tokenAfter(words, mentions, from) }]
  })
}

/** Why what stands in the place of an amount is none, as a sentence; null when nothing stands there. */
export function findUnreadAmount({ words, mentions, taken }: Places): string | null {
  for (const [at, { text, lower }] of words.entries()) {
    if (taken.has(at) || isCounted(words, at)) continue
    const fault = amountFault(lower)
    if (fault === null) continue
    const isNumber = /\d/.test(lower)
    const next = words[at + 1]?.lower
    if (isNumber || next === undefined || next === 'of' || tokenAfter(words, mentions, at + 1) !== null)
      return `"${text.slice(0, MAX_SHOWN)}" ${fault}.`
  }
  return null
}

function isCounted(words: readonly Word[], at: number): boolean {
  return COUNTED.has(words[at + 1]?.lower ?? '')
}

/** The token that begins at `from`, or after nothing but filling words. */
function tokenAfter(words: readonly Word[], mentions: readonly Mention[], from: number): string | null {
  const mention = mentions.find(
    ({ at }) => at >= from && at - from <= MAX_FILLER && words.slice(from, at).every(({ lower }) => FILLER.has(lower)),
  )
  return mention?.token ?? null
}
