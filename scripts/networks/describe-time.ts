import { durationText, utcText } from '@keelson/chainspec'

/** Example: `1781712001 (2026-06-17 16:00:01 UTC, in 12 days)`. */
export function describeTime(value: unknown, nowSec: number): string {
  if (typeof value !== 'number') return 'no time'
  if (value === 0) return '0 (genesis)'
  const distance = value > nowSec ? `in ${durationText(value - nowSec)}` : `${durationText(nowSec - value)} ago`
  return `${value} (${utcText(value)}, ${distance})`
}
