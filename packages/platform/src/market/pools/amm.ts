/** What a constant-product pool gives, to the unit, as Uniswap V2's contracts count; and how far a trade moves the price. */

export const BPS = 10_000n

/** A pool seen from the side that is paid in. */
export interface HopReserves {
  readonly reserveIn: bigint
  readonly reserveOut: bigint
  /** What the pool keeps of the amount paid in: 30 for Uniswap V2. */
  readonly feeBps: number
}

/** Zero when the pool is empty on a side. */
export function amountOut(amountIn: bigint, { reserveIn, reserveOut, feeBps }: HopReserves): bigint {
  if (amountIn <= 0n || reserveIn <= 0n || reserveOut <= 0n) return 0n
  const counted = amountIn * (BPS - BigInt(feeBps))
  return (counted * reserveOut) / (reserveIn * BPS + counted)
}

/** The least to pay for `wanted`; null when the pool does not have so much. */
export function amountIn(wanted: bigint, { reserveIn, reserveOut, feeBps }: HopReserves): bigint | null {
  if (wanted <= 0n || reserveIn <= 0n || wanted >= reserveOut) return null
  return (reserveIn * wanted * BPS) / ((reserveOut - wanted) * (BPS - BigInt(feeBps))) + 1n
}

/** Through pools one after the other. */
export function amountOutThrough(amount: bigint, hops: readonly HopReserves[]): bigint {
  return hops.reduce((given, hop) => amountOut(given, hop), amount)
}

/**
 * How much less `out` is than `amount` at the price before the trade, fees of the pools left out, in basis points,
 * rounded up: a trade that moves the price is never called free. 0 to 10,000.
 */
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

/** What the pools on the way keep together, in basis points, rounded up. */
export function poolFeesBps(hops: readonly HopReserves[]): number {
  let kept = 1n
  let of = 1n
  for (const { feeBps } of hops) {
    kept *= BPS - BigInt(feeBps)
    of *= BPS
  }
  return Number(((of - kept) * BPS + of - 1n) / of)
}

/** The least to take for a quoted amount: what slippage leaves, rounded down. */
export function minimumOut(out: bigint, slippageBps: number): bigint {
  return (out * (BPS - BigInt(slippageBps))) / BPS
}
