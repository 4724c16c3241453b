/**
 * 64-bit numbers of batches that no chain will ever reach become the largest safe number: they compare like
 * the number they stand for, so the batch is judged by its rules and not refused by our decoder.
 */
const MAX = BigInt(Number.MAX_SAFE_INTEGER)

export function clampToNumber(value: bigint): number {
  return value > MAX ? Number.MAX_SAFE_INTEGER : Number(value)
}
