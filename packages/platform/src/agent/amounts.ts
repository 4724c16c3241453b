/** Numbers as people write amounts. What could be read in two ways is none. */
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

/** `1.5`, `1,000`, `$20`; null for `1,5`, `1k`, `1e18`, `-2`, `50%`, zero, and for more digits than any token has. */
export function readAmount(word: string): WrittenAmount | null {
  if (word.length > MAX_LENGTH) return null
  const isDollars = word.startsWith('$')
  const text = isDollars ? word.slice(1) : word
  if (!GROUPED.test(text) && !PLAIN.test(text)) return null
  const [digits = '', fraction = ''] = text.replaceAll(',', '').split('.')
  const whole = digits.replace(/^0+(?=\d)/, '') || '0'
  if (whole.length > MAX_WHOLE_DIGITS || fraction.length > MAX_FRACTION_DIGITS) return null
  const amount = fraction === '' ? whole : `${whole}.${fraction}`
  return /[1-9]/.test(amount) ? { amount, isDollars } : null
}

const AMOUNT_LIKE = /^[-+]?\$?[\d.,]*\d[\d.,]*(e[-+]?\d+|[kmb]|%)?$/
const SHARES = wordsOf('half quarter third all everything max maximum')
const NUMBER_WORDS = wordsOf('one two three four five six seven eight nine ten', 'dozen hundred thousand million')

/** Why a lower-case word that stands for an amount is none, to go on after the word; null for amounts and for other words. */
export function amountFault(word: string): string | null {
  if (SHARES.has(word)) return 'is a share of what you hold, which I do not reckon: write how much it is, in digits'
  if (NUMBER_WORDS.has(word)) return 'is a word: write the number in digits, such as 1.5'
  if (!AMOUNT_LIKE.test(word.slice(0, MAX_LENGTH)) || readAmount(word) !== null) return null
  if (/^[-+]/.test(word)) return 'has a sign: write an amount above zero, without one'
  if (word.endsWith('%')) return 'is a share of what you hold, which I do not reckon: write how much it is, in digits'
  if (/e[-+]?\d+$/.test(word)) return 'has an exponent: write all digits'
  if (/[kmb]$/.test(word)) return 'is shortened: write all digits'
  if (/^\$?[0.,]+$/.test(word)) return 'is nothing: write an amount above zero'
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
