/** Derives a pair from its feed, its inverse, or two dollar feeds. */
import { Decimal } from '../decimal.ts'

export interface Pair {
  readonly base: string
  readonly quote: string
}

interface PairLeg {
  readonly index: number
  readonly inverse: boolean
}

export type PairMethod = 'direct' | 'inverse' | 'cross'

const DOLLAR = 'USD'

export function findLegs(pairs: readonly Pair[], { base, quote }: Pair): readonly PairLeg[] | null {
  if (base === quote) return null
  const one = (from: string, to: string): PairLeg | null => {
    const direct = pairs.findIndex((pair) => pair.base === from && pair.quote === to)
    if (direct >= 0) return { index: direct, inverse: false }
    const inverse = pairs.findIndex((pair) => pair.base === to && pair.quote === from)
    return inverse >= 0 ? { index: inverse, inverse: true } : null
  }
  const whole = one(base, quote)
  if (whole !== null) return [whole]
  const [first, second] = [one(base, DOLLAR), one(DOLLAR, quote)]
  return first === null || second === null ? null : [first, second]
}

export function methodOf(legs: readonly PairLeg[]): PairMethod {
  if (legs.length > 1) return 'cross'
  return legs[0]?.inverse ? 'inverse' : 'direct'
}

export function priceThrough(legs: readonly PairLeg[], prices: readonly Decimal[]): Decimal {
  return legs.reduce((price, { inverse }, i) => {
    const leg = prices[i] as Decimal
    return inverse ? price.div(leg) : price.mul(leg)
  }, new Decimal(1))
}

export const PAIR = /^([A-Za-z0-9.+_-]{1,16})\/([A-Za-z0-9.+_-]{1,16})$/

export function parsePair(text: string): Pair | null {
  const [, base, quote] = PAIR.exec(text.trim()) ?? []
  return base === undefined || quote === undefined ? null : { base, quote }
}
