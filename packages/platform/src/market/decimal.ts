/** Arithmetic of money: decimals of 80 digits that never turn to exponents, and the way between them and integers of the chain. */
import { Decimal as Base } from 'decimal.js'

export const Decimal = Base.clone({ precision: 80, rounding: Base.ROUND_HALF_EVEN, toExpNeg: -9e15, toExpPos: 9e15 })
export type Decimal = Base

/** Smallest units to whole ones, exactly. */
export function unitsToDecimal(amount: bigint, decimals: number): Decimal {
  return new Decimal(amount.toString()).div(new Decimal(10).pow(decimals))
}

/** As plain decimal text without needless zeros: `1.5`, `0`. */
export function formatAmount(amount: bigint, decimals: number): string {
  return unitsToDecimal(amount, decimals).toFixed()
}

const AMOUNT = /^(0|[1-9]\d{0,77})(\.\d{1,77})?$/

/** Whole units as text to smallest ones; null when it is no plain decimal number, has more digits than the token, or exceeds 256 bits. */
export function parseAmount(text: string, decimals: number): bigint | null {
  if (!AMOUNT.test(text)) return null
  const [whole = '', fraction = ''] = text.split('.')
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > decimals) return null
  const amount = BigInt(whole) * 10n ** BigInt(decimals) + BigInt(digits.padEnd(decimals, '0') || '0')
  return amount < 1n << 256n ? amount : null
}

/** Dollars as text, to the cent or, below a dollar, to six digits: what is shown, not what is reckoned with. */
export function formatUsd(value: Decimal): string {
  return value.toDecimalPlaces(value.abs().lt(1) ? 6 : 2).toFixed()
}
