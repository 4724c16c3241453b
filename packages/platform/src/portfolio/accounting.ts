/**
 * Positions by average cost. A purchase adds its price and fees to the cost. A sale removes the average cost of what is
 * sold and realises the difference. There are no short positions: what is sold beyond the quantity counts as received
 * unrecorded at the price of the sale, and realises nothing.
 */
import { Decimal } from '../market/decimal.ts'

/** Decimals of all stored figures. */
export const SCALE = 36

export interface Holding {
  readonly quantity: Decimal
  /** US dollars for the whole quantity. */
  readonly costUsd: Decimal
  readonly realizedUsd: Decimal
  /** Newest known price of a whole unit. */
  readonly lastPriceUsd: Decimal
}

export interface Leg {
  readonly quantity: Decimal
  readonly valueUsd: Decimal
  readonly priceUsd: Decimal
}

export const ZERO = new Decimal(0)
export const EMPTY_HOLDING: Holding = { quantity: ZERO, costUsd: ZERO, realizedUsd: ZERO, lastPriceUsd: ZERO }

export function buy(holding: Holding, { quantity, valueUsd, priceUsd }: Leg, feesUsd: Decimal): Holding {
  return {
    ...holding,
    quantity: holding.quantity.plus(quantity),
    costUsd: holding.costUsd.plus(valueUsd).plus(feesUsd),
    lastPriceUsd: priceUsd,
  }
}

export interface Sale {
  readonly holding: Holding
  readonly realizedUsd: Decimal
  /** Quantity sold beyond the position. */
  readonly unrecorded: Decimal
}

/** `sold.quantity` is above zero. */
export function sell(holding: Holding, sold: Leg): Sale {
  const all = sold.quantity.gte(holding.quantity)
  const matched = all ? holding.quantity : sold.quantity
  const proceeds = matched.eq(sold.quantity) ? sold.valueUsd : shareOf(sold.valueUsd, matched, sold.quantity)
  // a full sale takes the whole cost, so that no rounding remains
  const cost = all ? holding.costUsd : shareOf(holding.costUsd, matched, holding.quantity)
  const realizedUsd = proceeds.minus(cost)
  return {
    holding: {
      quantity: holding.quantity.minus(matched),
      costUsd: holding.costUsd.minus(cost),
      realizedUsd: holding.realizedUsd.plus(realizedUsd),
      lastPriceUsd: sold.priceUsd,
    },
    realizedUsd,
    unrecorded: sold.quantity.minus(matched),
  }
}

export function marketValueUsd({ quantity, lastPriceUsd }: Pick<Holding, 'quantity' | 'lastPriceUsd'>): Decimal {
  return quantity.times(lastPriceUsd)
}

export function unrealizedUsd(holding: Holding): Decimal {
  return marketValueUsd(holding).minus(holding.costUsd)
}

/** Zero for a closed position. */
export function averageCostUsd({ quantity, costUsd }: Holding): Decimal {
  return quantity.isZero() ? ZERO : costUsd.div(quantity)
}

export function kept(value: Decimal): Decimal {
  return value.toDecimalPlaces(SCALE)
}

function shareOf(value: Decimal, part: Decimal, whole: Decimal): Decimal {
  return kept(value.times(part).div(whole))
}
