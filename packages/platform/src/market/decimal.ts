/** Calculates with 80 digits; never prints exponents. */
import { Decimal as Base } from 'decimal.js'

export const Decimal = Base.clone({ precision: 80, rounding: Base.ROUND_HALF_EVEN, toExpNeg: -9e15, toExpPos: 9e15 })
export type Decimal = Base

export function unitsToDecimal(amount: bigint, decimals: number): Decimal {
  return new Decimal(amount.toString()).div(new Decimal(10).pow(decimals))
}

export function formatAmount(amount: bigint, decimals: number): string {
  return unitsToDecimal(amount, decimals).toFixed()
}

const AMOUNT = /^(0|[1-9]\d{0,77})(\.\d{1,77})?$/

/** Null for other text, too many decimals, or more than 256 bits. */
export function parseAmount(text: string, decimals: number): bigint | null {
  if (!AMOUNT.test(text)) return null
  const [whole = '', fraction = ''] = text.split('.')
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > decimals) return null
  const amount = BigInt(whole) * 10n ** BigInt(decimals) + BigInt(digits.padEnd(decimals, '0') || '0')
  return amount < 1n << 256n ? amount : null
}

/** Rounds to cents, or to six decimals below a dollar. */
export function formatUsd(value: Decimal): string {
  return value.toDecimalPlaces(value.abs().lt(1) ? 6 : 2).toFixed()
}
