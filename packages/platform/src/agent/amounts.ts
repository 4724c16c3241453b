/** Reads amounts as people write them. An ambiguous number is not an amount. */
import { Decimal } from '../market/decimal.ts'
import { wordsOf } from './lexicon.ts'

export interface WrittenAmount {
  /** Plain decimal text above zero. */
  readonly amount: string
  /** Written with a dollar sign. */
  readonly isDollars: boolean
}

const GROUPED = /^\d{1,3}(,\d{3})+(\.\d+)?$/
const PLAIN = /^(\d+(\.\d+)?|\.\d+)$/
const MAX_LENGTH = 100
const MAX_WHOLE_DIGITS = 60
const MAX_FRACTION_DIGITS = 36
const THOUSAND = 1_000
const NUMBER_WORDS: readonly string[] = 'one two three four five six seven eight nine ten'.split(' ')
const UNREAD_NUMBER_WORDS = wordsOf('dozen hundred thousand million')

/**
 * Reads a lower-case word: `1.5`, `1,000`, `$20`, `2.5k`. Returns null for `1,5`, `5m` (which may be minutes), `1e18`, `-2`, `50%`, zero, and
 * numbers with more digits than any token has.
 */
export function readAmount(word: string): WrittenAmount | null {
  if (word.length > MAX_LENGTH) return null
  const isDollars = word.startsWith('$')
  const isThousands = word.endsWith('k')
  const text = word.slice(isDollars ? 1 : 0, isThousands ? -1 : undefined)
  if (!GROUPED.test(text) && !PLAIN.test(text)) return null
  const [digits = '', fraction = ''] = text.replaceAll(',', '').split('.')
  const whole = digits.replace(/^0+(?=\d)/, '') || '0'
  if (whole.length > MAX_WHOLE_DIGITS || fraction.length > MAX_FRACTION_DIGITS) return null
  const written = fraction === '' ? whole : `${whole}.${fraction}`
  if (!/[1-9]/.test(written)) return null
  return { amount: isThousands ? new Decimal(written).mul(THOUSAND).toFixed() : written, isDollars }
}

/** Returns `one` to `ten` in digits; null for other words. The caller checks that a token follows, as in "one ETH". */
export function readNumberWord(word: string): string | null {
  const at = NUMBER_WORDS.indexOf(word)
  return at < 0 ? null : String(at + 1)
}

/** A number, a number word or a share: what may stand between a verb and its token. */
export function isAmountWord(word: string): boolean {
  return readAmount(word) !== null || readNumberWord(word) !== null || readShare(word) !== null
}

const AMOUNT_LIKE = /^[-+]?\$?[\d.,]*\d[\d.,]*(e[-+]?\d+|[kmb]|%)?$/
const UNREAD_SHARES = wordsOf('half quarter third all everything max maximum')

const SHARES: ReadonlyMap<string, string> = new Map([
  ['all', '1'],
  ['max', '1'],
  ['maximum', '1'],
  ['half', '0.5'],
  ['quarter', '0.25'],
])

/** The part of a balance that a lower-case word means: `half`, `all`, `25%`; above 0, at most 1; null for other words. */
export function readShare(word: string): string | null {
  const percent = /^(\d{1,3}(?:\.\d{1,4})?)%$/.exec(word)?.[1]
  if (percent === undefined) return SHARES.get(word) ?? null
  const share = new Decimal(percent).div(100)
  return share.gt(0) && share.lte(1) ? share.toFixed() : null
}

/** Why a lower-case word in the place of an amount is not one, as a predicate; null for amounts and for other words. */
export function amountFault(word: string): string | null {
  if (UNREAD_SHARES.has(word)) return 'is a share that I cannot compute: write the amount in digits'
  if (UNREAD_NUMBER_WORDS.has(word)) return 'is a word: write the number in digits, such as 1.5'
  if (!AMOUNT_LIKE.test(word.slice(0, MAX_LENGTH)) || readAmount(word) !== null) return null
  if (/^[-+]/.test(word)) return 'has a sign: write an amount above zero, without one'
  if (word.endsWith('%')) return 'is a share that I cannot compute: write the amount in digits'
  if (/e[-+]?\d+$/.test(word)) return 'has an exponent: write all digits'
  if (/^\$?[0.,]+[kmb]?$/.test(word)) return 'is zero: write an amount above zero'
  if (/[mb]$/.test(word)) return 'is shortened: write all digits'
  if (!word.includes(',') && (word.match(/\./g)?.length ?? 0) <= 1)
    return `has more digits than any token: at most ${MAX_WHOLE_DIGITS} before the point and ${MAX_FRACTION_DIGITS} after it`
  return 'can be read in two ways: write decimals with a point, as in 1.5, and thousands as 1,000 or 1000'
}

/** `1%`, `0.5%`, or `50` of a word before `bps`, in basis points; null when it is none of 0 to 10,000 whole ones. */
export function readBasisPoints(word: string, next: string | undefined): number | null {
  const percent = /^(\d{1,3}(?:\.\d{1,2})?)%$/.exec(word)?.[1]
  const bps = next === 'bps' || next === 'bp' ? /^\d{1,5}$/.exec(word)?.[0] : /^(\d{1,5})bps$/i.exec(word)?.[1]
  const points = percent !== undefined ? Math.round(Number(percent) * 100) : bps !== undefined ? Number(bps) : null
  return points !== null && points <= 10_000 ? points : null
}
