import {
  type BlockFacts,
  type ChainReader,
  type Decimal,
  type PoolState,
  type SwapEvent,
  type TokenFacts,
  type UsdPrices,
  unitsToDecimal,
} from '@keelson/platform'
import type { Address } from '@keelson/primitives'
import type { SwapHistory } from './swap-history.ts'

export interface PooledSwap extends SwapEvent {
  readonly of: PoolState
  readonly usd: Decimal | null
}

export interface ChainFacts {
  readonly chain: ChainReader
  head(): Promise<BlockFacts>
  block(number: number): Promise<BlockFacts | null>
  tokens(): Promise<readonly TokenFacts[]>
  pools(): Promise<readonly PoolState[]>
  prices(): Promise<UsdPrices>
  swaps(): Promise<{ readonly fromBlock: number; readonly swaps: readonly PooledSwap[] }>
}

export function readChainFacts(chain: ChainReader, history: SwapHistory): ChainFacts {
  const head = once(() => chain.latest())
  const pools = once(async () => chain.pools(await head()))
  const prices = once(async () => chain.usdPrices(await head()))
  const blocks = new Map<number, Promise<BlockFacts | null>>()
  return {
    chain,
    head,
    pools,
    prices,
    tokens: once(() => chain.knownTokens()),
    block(number) {
      const known = blocks.get(number) ?? chain.block(number)
      blocks.set(number, known)
      return known
    },
    swaps: once(async () => {
      const states = await pools()
      const byAddress = new Map<Address, PoolState>(states.map((pool) => [pool.address, pool]))
      const [{ fromBlock, swaps }, usdPrices] = await Promise.all([history.upTo(await head(), [...byAddress.keys()]), prices()])
      const pooled = swaps.flatMap((swap): PooledSwap[] => {
        const of = byAddress.get(swap.pool)
        return of === undefined ? [] : [{ ...swap, of, usd: worthOf(swap, of, usdPrices) }]
      })
      return { fromBlock, swaps: pooled.reverse() }
    }),
  }
}

export function poolUsd({ token0, token1, reserve0, reserve1 }: PoolState, prices: UsdPrices): Decimal | null {
  const [one, other] = [usdOf(reserve0, token0, prices), usdOf(reserve1, token1, prices)]
  return one === null || other === null ? null : one.add(other)
}

function worthOf({ in0, in1, out0, out1 }: SwapEvent, { token0, token1 }: PoolState, prices: UsdPrices): Decimal | null {
  const [net0, net1] = [in0 - out0, in1 - out1]
  const [zero, one] = [() => usdOf(net0 < 0n ? -net0 : net0, token0, prices), () => usdOf(net1 < 0n ? -net1 : net1, token1, prices)]
  return net0 > 0n ? (zero() ?? one()) : (one() ?? zero())
}

function usdOf(amount: bigint, token: TokenFacts, prices: UsdPrices): Decimal | null {
  const price = prices.of(token.address)
  return price === null ? null : unitsToDecimal(amount, token.decimals).mul(price)
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null
  return () => {
    answer ??= read()
    return answer
  }
}
