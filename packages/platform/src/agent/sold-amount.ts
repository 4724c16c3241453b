/** Turns an amount of the bought token into one of the sold token. */
import { Decimal } from '../market/decimal.ts'

/** Decimals of an amount computed from a price. */
const COMPUTED_DECIMALS = 6

/**
 * Converts `amount` units into the sold token at `price` sold tokens per unit, rounded up so that the result buys at
 * least that amount. Null when the result is not a usable token amount.
 */
export function soldFor(amount: string, price: string): string | null {
  const sold = new Decimal(amount).mul(price).toDecimalPlaces(COMPUTED_DECIMALS, Decimal.ROUND_UP)
  return sold.gt(0) ? sold.toFixed() : null
}

/** Converts `dollars` into the sold token at `price` dollars per token, rounded down. Null when the result is zero. */
export function soldForDollars(dollars: string, price: string): string | null {
  if (!new Decimal(price).gt(0)) return null
  const sold = new Decimal(dollars).div(price).toDecimalPlaces(COMPUTED_DECIMALS, Decimal.ROUND_DOWN)
  return sold.gt(0) ? sold.toFixed() : null
}
