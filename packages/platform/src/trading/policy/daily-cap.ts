import { Decimal } from '../../market/decimal.ts'
import { type Refusal, refuse } from '../execution/record.ts'
import { DAY_MS } from './policy.ts'

/** What counts against the daily cap of a wallet. */
export interface CapUse {
  readonly spentUsd: Decimal
  /** The part of trades that are not decided, which is free again when they fail. */
  readonly unfinishedUsd: Decimal
  /** Creation of the newest trade that has to leave the 24 hours before there is room; null when there is already, or never. */
  readonly freeAfterMs: number | null
}

/** The refusal says whether and when a retry can succeed. */
export function dailyCapRefusal(usd: Decimal, maxUsd: Decimal, { spentUsd, unfinishedUsd, freeAfterMs }: CapUse): Refusal {
  const worth = `worth ${shown(usd)} USD, ${shown(spentUsd)} of ${shown(maxUsd)} are spent or reserved in the last 24 hours`
  if (usd.gt(maxUsd)) return refuse('policy', `${worth}: a trade of this value never fits`, { rule: 'daily-cap', retryable: false })
  if (freeAfterMs === null) return refuse('policy', `${worth}: a new request can succeed now`, { rule: 'daily-cap' })
  const retryAt = new Date(freeAfterMs + DAY_MS).toISOString()
  const early = unfinishedUsd.isZero() ? '' : `, or earlier if a trade fails that is not decided yet (${shown(unfinishedUsd)} USD)`
  return refuse('policy', `${worth}: a new request can succeed from ${retryAt}${early}`, { rule: 'daily-cap', retryAt })
}

function shown(usd: Decimal): string {
  return usd.toDecimalPlaces(2, Decimal.ROUND_UP).toFixed()
}
