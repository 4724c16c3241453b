/** Computes exactly the same amounts as Uniswap V2's contracts. */

export const BPS = 10_000n

export interface HopReserves {
  readonly reserveIn: bigint
  readonly reserveOut: bigint
  /** Uniswap V2 charges 30. */
  readonly feeBps: number
}

export function amountOut(amountIn: bigint, { reserveIn, reserveOut, feeBps }: HopReserves): bigint {
  if (amountIn <= 0n || reserveIn <= 0n || reserveOut <= 0n) return 0n
  const counted = amountIn * (BPS - BigInt(feeBps))
  return (counted * reserveOut) / (reserveIn * BPS + counted)
}

export function amountOutThrough(amount: bigint, hops: readonly HopReserves[]): bigint {
  return hops.reduce((given, hop) => amountOut(given, hop), amount)
}

/** Loss compared with the price before the trade, without pool fees, rounded up. */
export function priceImpactBps(amount: bigint, out: bigint, hops: readonly HopReserves[]): number {
  let numerator = amount
  let denominator = 1n
  for (const { reserveIn, reserveOut, feeBps } of hops) {
    numerator *= (BPS - BigInt(feeBps)) * reserveOut
    denominator *= BPS * reserveIn
  }
  if (numerator <= 0n || denominator <= 0n) return Number(BPS)
  const lost = numerator - out * denominator
  return lost <= 0n ? 0 : Number((lost * BPS + numerator - 1n) / numerator)
}

/** Total fees, rounded up. */
export function poolFeesBps(hops: readonly HopReserves[]): number {
  let kept = 1n
  let of = 1n
  for (const { feeBps } of hops) {
    kept *= BPS - BigInt(feeBps)
    of *= BPS
  }
  return Number(((of - kept) * BPS + of - 1n) / of)
}

/** Rounded down. */
export function minimumOut(out: bigint, slippageBps: number): bigint {
  return (out * (BPS - BigInt(slippageBps))) / BPS
}
