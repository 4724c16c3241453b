/** Finds the amount in a text, the token it is denominated in, and the reason why an amount cannot be read. */
import { amountFault, isAmountWord, readAmount, readNumberWord, readShare } from './amounts.ts'
import type { Mention, Sides } from './find-tokens.ts'
import { COUNTED, CURRENCIES, DOLLAR_WORDS, wordsOf } from './lexicon.ts'
import type { Found, Word } from './words.ts'

export interface FoundAmount {
  readonly amount: string | null
  /** The side of the swap that the amount is denominated in; null for a bare number. */
  readonly amountOf: 'in' | 'out' | 'loose' | null
  readonly amountCurrency: 'token_units' | 'usd'
  /** The part of the user's balance of the sold token, above 0 and at most 1. Never together with an amount. */
  readonly share: string | null
}

export const NO_AMOUNT: FoundAmount = { amount: null, amountOf: null, amountCurrency: 'token_units', share: null }

/** Words that may stand between an amount and its token. */
const FILLER = wordsOf('of worth the my more')
const ARTICLES = wordsOf('a an')
const WORTH_OF = wordsOf('of worth')
/** With one of these before the token, `half` is a share; `half ETH` may be half a unit. */
const OWN = wordsOf('of my')
const WHOLE = wordsOf('all max maximum')
const PRONOUNS = wordsOf('it them that')
const MAX_FILLER = 3
/** Maximum characters of the user's text in an error. */
const MAX_SHOWN = 24
const HALF = '0.5'
const FOREIGN_MONEY = 'is in money that I have no price for: write the amount in dollars or in units of the token'

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

/** Places of amounts in money without a price feed: `100 euros of ETH`, `€100 of ETH`. The currency is used, so that it is no token. */
export function findForeignMoney(words: readonly Word[]): Found<ReadonlySet<number>> {
  const lower = (place: number) => words[place]?.lower ?? ''
  const numbers = new Set<number>()
  const used: number[] = []
  for (const at of words.keys()) {
    const currencyAt = CURRENCIES.has(lower(at + 1)) ? at + 1 : at - 1
    const isMoney = isAmountWord(lower(at)) && CURRENCIES.has(lower(currencyAt)) && WORTH_OF.has(lower(Math.max(at, currencyAt) + 1))
    if (!isMoney) continue
    numbers.add(at)
    used.push(currencyAt)
  }
  return { value: numbers, used }
}

interface Places {
  readonly words: readonly Word[]
  readonly mentions: readonly Mention[]
  readonly dollars: ReadonlySet<number>
  readonly foreignMoney: ReadonlySet<number>
  /** Words that are something else. */
  readonly taken: ReadonlySet<number>
}

/** The amount before the token that is sold, else before another token, else the only number that stands alone, else a share. */
export function findAmount(places: Places, sides: Sides): FoundAmount {
  // `50% of 2 ETH` is not 2 ETH
  if (places.words.some((_, at) => isShareOfAmount(places.words, at))) return NO_AMOUNT
  const amounts = amountsOf(places)
  const before = (token: string | null) => (token === null ? undefined : amounts.find((found) => found.token === token))
  const [sold, bought, loose] = [before(sides.tokenIn), before(sides.tokenOut), before(sides.loose)]
  const alone = amounts.length === 1 ? amounts[0] : undefined
  const found = sold ?? bought ?? loose ?? alone
  if (found === undefined) return { ...NO_AMOUNT, share: findShare(places, sides) }
  const amountOf = found === sold ? 'in' : found === bought ? 'out' : found === loose ? 'loose' : null
  return { amount: found.amount, amountOf, amountCurrency: found.currency, share: null }
}

interface Amount {
  readonly amount: string
  readonly currency: FoundAmount['amountCurrency']
  readonly token: string | null
}

function amountsOf({ words, mentions, dollars, foreignMoney, taken }: Places): readonly Amount[] {
  return words.flatMap(({ lower }, at) => {
    if (taken.has(at)) return []
    const inWords = amountInWords(words, mentions, at)
    if (inWords !== null) return [inWords]
    const read = readAmount(lower)
    if (read === null || foreignMoney.has(at) || (isCounted(words, at) && !dollars.has(at))) return []
    const from = at + (dollars.has(at) ? 2 : 1)
    const currency: FoundAmount['amountCurrency'] = read.isDollars || dollars.has(at) ? 'usd' : 'token_units'
    return [{ amount: read.amount, currency, token: tokenAfter(words, mentions, from) }]
  })
}

/** `one ETH`, `half an ETH`: only directly before a token, since the same words count other things elsewhere. */
function amountInWords(words: readonly Word[], mentions: readonly Mention[], at: number): Amount | null {
  const lower = words[at]?.lower ?? ''
  const isHalf = lower === 'half' && ARTICLES.has(words[at + 1]?.lower ?? '')
  const amount = isHalf ? HALF : readNumberWord(lower)
  const token = mentions.find((mention) => mention.at === at + (isHalf ? 2 : 1))?.token
  return amount === null || token === undefined ? null : { amount, currency: 'token_units', token }
}

/** A share of the sold token, as in `half of my ETH`, or of an unnamed one, as in `all of it` or `all`. */
function findShare({ words, mentions, taken }: Places, { tokenIn, loose }: Sides): string | null {
  for (const [at, { lower }] of words.entries()) {
    const share = taken.has(at) ? null : readShare(lower)
    if (share === null) continue
    const token = tokenAfter(words, mentions, at + 1)
    const isOwn = WHOLE.has(lower) || OWN.has(words[at + 1]?.lower ?? '')
    if (token === null ? isOfIt(words, at) : isOwn && token === (tokenIn ?? loose)) return share
  }
  return null
}

function isOfIt(words: readonly Word[], at: number): boolean {
  const [next, last] = [words[at + 1]?.lower, words[at + 2]?.lower ?? '']
  return next === undefined || (PRONOUNS.has(next) && last === '') || (next === 'of' && PRONOUNS.has(last))
}

/** Why the word in the place of an amount is not one, as a sentence; null when no word stands there. */
export function findUnreadAmount({ words, mentions, foreignMoney, taken }: Places): string | null {
  for (const [at, { text, lower }] of words.entries()) {
    if (taken.has(at) || isCounted(words, at)) continue
    if (readAmount(lower) !== null && foreignMoney.has(at)) return `"${text.slice(0, MAX_SHOWN)}" ${FOREIGN_MONEY}.`
    const fault = amountFault(lower)
    if (fault === null) continue
    const isNumber = /\d/.test(lower)
    const next = words[at + 1]?.lower
    if (isNumber || next === undefined || next === 'of' || tokenAfter(words, mentions, at + 1) !== null)
      return `"${text.slice(0, MAX_SHOWN)}" ${fault}.`
  }
  return null
}

function isShareOfAmount(words: readonly Word[], at: number): boolean {
  const [share, of, amount] = words.slice(at, at + 3).map(({ lower }) => lower)
  return share !== undefined && readShare(share) !== null && of === 'of' && amount !== undefined && readAmount(amount) !== null
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
