/** Numbers as people write amounts. What could be read in two ways is none. */

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

/** `1%`, `0.5%`, or `50` of a word before `bps`, in basis points; null when it is none of 0 to 10,000 whole ones. */
export function readBasisPoints(word: string, next: string | undefined): number | null {
  const percent = /^(\d{1,3}(?:\.\d{1,2})?)%$/.exec(word)?.[1]
  const bps = next === 'bps' || next === 'bp' ? /^\d{1,5}$/.exec(word)?.[0] : /^(\d{1,5})bps$/i.exec(word)?.[1]
  const points = percent !== undefined ? Math.round(Number(percent) * 100) : bps !== undefined ? Number(bps) : null
  return points !== null && points <= 10_000 ? points : null
}
