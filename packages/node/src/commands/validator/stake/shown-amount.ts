import { formatTokens } from '@keelson/contracts'

const SMALLEST_SHOWN_WEI = 10n ** 12n

/** Truncates to six decimals: "1.234567 KEEL". */
export function shownAmount(wei: bigint, symbol: string): string {
  if (wei > 0n && wei < SMALLEST_SHOWN_WEI) return `less than ${formatTokens(SMALLEST_SHOWN_WEI)} ${symbol}`
  return `${formatTokens(wei - (wei % SMALLEST_SHOWN_WEI))} ${symbol}`
}
