/** A clamped value is still far above any valid one, so the batch rules reject the batch. */
const MAX = BigInt(Number.MAX_SAFE_INTEGER)

export function clampToNumber(value: bigint): number {
  return value > MAX ? Number.MAX_SAFE_INTEGER : Number(value)
}
