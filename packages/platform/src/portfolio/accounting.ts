/**
 * Positions at average cost. Purchases add price and fees. A sale removes its share of the cost and realizes the difference, but
 * only for the quantity that is held.
 */
import { Decimal } from '../market/decimal.ts'

const SCALE = 36

export interface Holding {
  readonly quantity: Decimal
  readonly costUsd: Decimal
  readonly realizedUsd: Decimal
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
  const costUsd = holding.costUsd.plus(valueUsd).plus(feesUsd)
  return { ...holding, quantity: holding.quantity.plus(quantity), costUsd, lastPriceUsd: priceUsd }
}

/** `sold.quantity` must be above zero. */
export function sell(holding: Holding, sold: Leg) {
  const all = sold.quantity.gte(holding.quantity)
  const matched = all ? holding.quantity : sold.quantity
  const proceeds = matched.eq(sold.quantity) ? sold.valueUsd : shareOf(sold.valueUsd, matched, sold.quantity)
  // a full sale removes the whole cost, so that no rounding error remains
  const cost = all ? holding.costUsd : shareOf(holding.costUsd, matched, holding.quantity)
  const realizedUsd = proceeds.minus(cost)
  const rest: Holding = {
    quantity: holding.quantity.minus(matched),
    costUsd: holding.costUsd.minus(cost),
    realizedUsd: holding.realizedUsd.plus(realizedUsd),
    lastPriceUsd: sold.priceUsd,
  }
  return { holding: rest, realizedUsd, unrecorded: sold.quantity.minus(matched) }
}

export function marketValueUsd({ quantity, lastPriceUsd }: Pick<Holding, 'quantity' | 'lastPriceUsd'>): Decimal {
  return quantity.times(lastPriceUsd)
}

export function unrealizedUsd(holding: Holding): Decimal {
  return marketValueUsd(holding).minus(holding.costUsd)
}

export function averageCostUsd({ quantity, costUsd }: Holding): Decimal {
  return quantity.isZero() ? ZERO : costUsd.div(quantity)
}

export function kept(value: Decimal): Decimal {
  return value.toDecimalPlaces(SCALE)
}

function shareOf(value: Decimal, part: Decimal, whole: Decimal): Decimal {
  return kept(value.times(part).div(whole))
}
