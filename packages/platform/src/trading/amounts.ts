import { Decimal, parseAmount, unitsToDecimal } from '../market/decimal.ts'
import type { EvmInput } from '../schemas/evm-input.ts'
import type { TokenInfo, TokenPrice } from './ports.ts'

export type AmountRefusal = 'too-precise' | 'too-small' | 'price-unknown'

/** Rounds dollar amounts down, so that no more is sold than requested. */
export function soldAmount(
  { amount_in: amount, amount_in_currency: currency }: Pick<EvmInput, 'amount_in' | 'amount_in_currency'>,
  { decimals }: TokenInfo,
  price: TokenPrice | null,
): bigint | AmountRefusal {
  if (currency === 'usd' && !isUsable(price)) return 'price-unknown'
  const inDollars = currency === 'usd' && isUsable(price)
  const units = inDollars
    ? toUnitsDown(new Decimal(amount).div(price.usd), decimals)
    : parseAmount(amount.replace(/^0+(?=\d)/, ''), decimals)
  if (units === null) return 'too-precise'
  return units > 0n ? units : 'too-small'
}

export function valueUsd(units: bigint, token: TokenInfo, price: TokenPrice | null): Decimal | null {
  return isUsable(price) ? unitsToDecimal(units, token.decimals).mul(price.usd) : null
}

export function isUsable(price: TokenPrice | null): price is TokenPrice {
  return price?.usd.isFinite() === true && price.usd.gt(0)
}

export function toUnitsDown(amount: Decimal, decimals: number): bigint {
  return BigInt(amount.mul(new Decimal(10).pow(decimals)).toFixed(0, Decimal.ROUND_DOWN))
}
