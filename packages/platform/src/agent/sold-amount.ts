/** Turns an amount of the bought token into one of the sold token. */
import { Decimal } from '../chain/decimal.ts'

/** Decimals of an amount computed from a price. */
const COMPUTED_DECIMALS = 6

/**
 * How much of the sold token `amount` units of a thing are, at `price` sold tokens a unit; rounded up, so that it buys
 * that much. Null when it rounds to nothing that a token could hold.
 */
export function soldFor(amount: string, price: string): string | null {
  const sold = new Decimal(amount).mul(price).toDecimalPlaces(COMPUTED_DECIMALS, Decimal.ROUND_UP)
  return sold.gt(0) ? sold.toFixed() : null
}

/** How much of the sold token `dollars` are, at `price` dollars a token; rounded down. Null when that is nothing. */
export function soldForDollars(dollars: string, price: string): string | null {
  if (!new Decimal(price).gt(0)) return null
  const sold = new Decimal(dollars).div(price).toDecimalPlaces(COMPUTED_DECIMALS, Decimal.ROUND_DOWN)
  return sold.gt(0) ? sold.toFixed() : null
}
