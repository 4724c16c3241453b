import { Decimal, parseAmount, unitsToDecimal } from '../market/decimal.ts'
import type { EvmInput } from '../schemas/evm-input.ts'
import type { TokenInfo, TokenPrice } from './ports.ts'

export type AmountRefusal = 'too-precise' | 'too-small' | 'price-unknown'

export type SoldAmount = { readonly ok: true; readonly units: bigint } | { readonly ok: false; readonly reason: AmountRefusal }

/** Rounds dollars down, so that no more is sold than requested. */
export function soldAmount(
  input: Pick<EvmInput, 'amount_in' | 'amount_in_currency'>,
  token: TokenInfo,
  price: TokenPrice | null,
): SoldAmount {
  if (input.amount_in_currency !== 'usd') {
    const units = parseAmount(stripZeros(input.amount_in), token.decimals)
    if (units === null) return { ok: false, reason: 'too-precise' }
    return units > 0n ? { ok: true, units } : { ok: false, reason: 'too-small' }
  }
  if (!isUsable(price)) return { ok: false, reason: 'price-unknown' }
  const units = toUnitsDown(new Decimal(input.amount_in).div(price.usd), token.decimals)
  return units > 0n ? { ok: true, units } : { ok: false, reason: 'too-small' }
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

function stripZeros(amount: string): string {
  return amount.replace(/^0+(?=\d)/, '')
}
