/** Amounts as a person reads them; documents for programs have every digit. */
import { formatTokens } from '@keelson/contracts'

const SMALLEST_SHOWN_WEI = 10n ** 12n

/** With six digits after the point at most, the rest left off: "1.234567 KEEL". */
export function shownAmount(wei: bigint, symbol: string): string {
  if (wei > 0n && wei < SMALLEST_SHOWN_WEI) return `less than ${formatTokens(SMALLEST_SHOWN_WEI)} ${symbol}`
  return `${formatTokens(wei - (wei % SMALLEST_SHOWN_WEI))} ${symbol}`
}
