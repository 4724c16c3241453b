/** From figures to scores and from scores to levels. Ten is safe, zero is not. The curves are straight between their points. */
import { Decimal } from '../../market/decimal.ts'
import type { RiskLevel } from '../../schemas/risk.ts'

/** Figure and score, figures ascending; level before the first point and behind the last. */
export type Curve = readonly (readonly [figure: number, score: number])[]

/** A check that failed its own rule counts as not recommended, whatever else it found. */
export const FAILED_AT_MOST = 3.9
const LOW_FROM = 7
const MEDIUM_FROM = 4

export function scoreOn(curve: Curve, figure: Decimal): Decimal {
  const first = curve[0] as readonly [number, number]
  if (figure.lte(first[0])) return new Decimal(first[1])
  for (let i = 1; i < curve.length; i++) {
    const [fromFigure, fromScore] = curve[i - 1] as readonly [number, number]
    const [toFigure, toScore] = curve[i] as readonly [number, number]
    if (figure.gt(toFigure)) continue
    const share = figure.minus(fromFigure).div(toFigure - fromFigure)
    return new Decimal(fromScore).plus(share.mul(new Decimal(toScore).minus(fromScore)))
  }
  return new Decimal((curve.at(-1) as readonly [number, number])[1])
}

/** To one decimal, halves up: this number decides, not the one before rounding. */
export function roundScore(score: Decimal): number {
  return score.toDecimalPlaces(1, Decimal.ROUND_HALF_UP).toNumber()
}

/** Of a rounded score; null is unknown. */
export function levelOf(score: number | null): RiskLevel {
  if (score === null) return 'unknown'
  if (score >= LOW_FROM) return 'low'
  return score >= MEDIUM_FROM ? 'medium' : 'high'
}

/**
 * The lowest of the scores: one bad finding is not outweighed by good ones, nor by ones that are missing. Null when one is
 * missing and the others are no reason to refuse, or when there is none.
 */
export function aggregateOf(scores: readonly (Decimal | null)[]): number | null {
  const known = scores.filter((score) => score !== null)
  if (known.length === 0) return null
  const lowest = roundScore(Decimal.min(...known))
  return known.length === scores.length || levelOf(lowest) === 'high' ? lowest : null
}
