/** An empty pool stops only the payments to validators. */
import { counted } from '@keelson/primitives'
import type { StakingTerms } from './staking-chain.ts'

const DAY_SEC = 86_400
/** Warning threshold: deciding on a deposit to the pool may take days. */
export const POOL_LOW_DAYS = 14

/** Days until the pool is empty at the highest rate, when every epoch is attested. Infinite without rewards. */
export function poolDaysLeft(
  poolWei: bigint,
  { rewardPerBlockWei }: Pick<StakingTerms, 'rewardPerBlockWei'>,
  blockTimeSec: number,
): number {
  const perDayWei = Number(rewardPerBlockWei) * (DAY_SEC / blockTimeSec)
  return perDayWei === 0 ? Number.POSITIVE_INFINITY : Number(poolWei) / perDayWei
}

/** "115 days", "1.5 days", "about 3 hours". */
export function daysText(days: number): string {
  if (days === Number.POSITIVE_INFINITY) return 'for ever'
  if (days >= 10) return `${Math.floor(days)} days`
  return days >= 1 ? `${(Math.floor(days * 10) / 10).toFixed(1)} days` : `about ${counted(Math.floor(days * 24), 'hour')}`
}
