import type { Address } from '@keelson/primitives'
import { amountOutThrough, type HopReserves, poolFeesBps, priceImpactBps } from './amm.ts'
import type { PoolState } from './pools.ts'

export interface Route {
  /** Includes sold and bought token. */
  readonly path: readonly Address[]
  readonly pools: readonly PoolState[]
  readonly hops: readonly HopReserves[]
  readonly amountOut: bigint
  /** Excludes pool fees; rounded up. */
  readonly priceImpactBps: number
  readonly poolFeesBps: number
}

export const MAX_HOPS = 3

/** Prefers the shortest of several routes with equal output. */
export function findBestRoute(
  pools: readonly PoolState[],
  swap: { readonly tokenIn: Address; readonly tokenOut: Address; readonly amountIn: bigint; readonly hubs: readonly Address[] },
): Route | null {
  let best: Route | null = null
  for (const way of ways(pools, swap)) {
    const hops = way.pools.map((pool, i) => reservesFrom(pool, way.path[i] as Address))
    const amountOut = amountOutThrough(swap.amountIn, hops)
    if (amountOut === 0n || (best !== null && amountOut <= best.amountOut)) continue
    const impact = priceImpactBps(swap.amountIn, amountOut, hops)
    best = { ...way, hops, amountOut, priceImpactBps: impact, poolFeesBps: poolFeesBps(hops) }
  }
  return best
}

interface Way {
  readonly path: readonly Address[]
  readonly pools: readonly PoolState[]
}

function ways(
  pools: readonly PoolState[],
  { tokenIn, tokenOut, hubs }: { readonly tokenIn: Address; readonly tokenOut: Address; readonly hubs: readonly Address[] },
): readonly Way[] {
  if (tokenIn === tokenOut) return []
  const complete: Way[] = []
  let open: readonly Way[] = [{ path: [tokenIn], pools: [] }]
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const longer = open.flatMap((way) => extended(way, pools, [tokenOut, ...hubs]))
    complete.push(...longer.filter(({ path }) => path.at(-1) === tokenOut))
    open = longer.filter(({ path }) => path.at(-1) !== tokenOut)
  }
  return complete
}

function extended(way: Way, pools: readonly PoolState[], allowed: readonly Address[]): readonly Way[] {
  const at = way.path.at(-1)
  return pools.flatMap((pool) => {
    const next = pool.token0.address === at ? pool.token1.address : pool.token1.address === at ? pool.token0.address : null
    if (next === null || way.path.includes(next) || !allowed.includes(next)) return []
    return [{ path: [...way.path, next], pools: [...way.pools, pool] }]
  })
}

export function reservesFrom(pool: PoolState, tokenIn: Address): HopReserves {
  const { reserve0, reserve1, feeBps } = pool
  const forward = pool.token0.address === tokenIn
  return { reserveIn: forward ? reserve0 : reserve1, reserveOut: forward ? reserve1 : reserve0, feeBps }
}
