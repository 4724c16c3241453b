import { Decimal, formatUsd, MAX_SWAP_BLOCKS, unitsToDecimal } from '@keelson/platform'
import { z } from 'zod'
import type { ChainFacts, PooledSwap } from './chain-facts.ts'

export type AnalyticsRow = Readonly<Record<string, string | number | null>>

export interface StoredQuery {
  readonly id: number
  readonly name: string
  readonly params: z.ZodType
  /** Throws SourceError. */
  rows(facts: ChainFacts, params: unknown): Promise<readonly AnalyticsRow[]>
}

function storedQuery<S extends z.ZodType>(query: {
  readonly id: number
  readonly name: string
  readonly params: S
  rows(facts: ChainFacts, params: z.output<S>): Promise<readonly AnalyticsRow[]>
}): StoredQuery {
  return { ...query, rows: (facts, params) => query.rows(facts, params as z.output<S>) }
}

const whole = (max: number, fallback: number) => z.coerce.number().int().min(1).max(max).default(fallback)
const Blocks = z.strictObject({ blocks: whole(MAX_SWAP_BLOCKS, MAX_SWAP_BLOCKS) })
const BLOCKS_AT_ONCE = 16

export const STORED_QUERIES: readonly StoredQuery[] = [
  storedQuery({
    id: 1,
    name: 'swaps and volume of each pool in the newest blocks',
    params: Blocks,
    async rows(facts, { blocks }) {
      const [pools, swaps] = await Promise.all([facts.pools(), swapsOf(facts, blocks)])
      return pools.map(({ address, token0, token1 }) => {
        const own = swaps.filter(({ of }) => of.address === address)
        const moved = (amounts: (swap: PooledSwap) => bigint, decimals: number) =>
          unitsToDecimal(
            own.reduce((sum, swap) => sum + amounts(swap), 0n),
            decimals,
          ).toFixed()
        return {
          pool: address,
          symbol: `${token0.symbol}-${token1.symbol}`,
          swaps: own.length,
          volume_usd: volumeOf(own),
          token0_in: moved(({ in0 }) => in0, token0.decimals),
          token1_in: moved(({ in1 }) => in1, token1.decimals),
        }
      })
    },
  }),
  storedQuery({
    id: 2,
    name: 'the newest blocks and their gas',
    params: z.strictObject({ limit: whole(200, 20) }),
    async rows(facts, { limit }) {
      const head = await facts.head()
      const numbers = Array.from({ length: Math.min(limit, head.number + 1) }, (_, i) => head.number - i)
      const rows: AnalyticsRow[] = []
      for (let at = 0; at < numbers.length; at += BLOCKS_AT_ONCE) {
        const page = await Promise.all(numbers.slice(at, at + BLOCKS_AT_ONCE).map((number) => facts.block(number)))
        for (const block of page) {
          if (block === null) continue
          rows.push({
            number: block.number,
            time: new Date(block.timestampSec * 1000).toISOString(),
            transactions: block.transactions,
            gas_used: String(block.gasUsed),
            gas_limit: String(block.gasLimit),
            base_fee_wei: block.baseFeeWei === null ? null : String(block.baseFeeWei),
          })
        }
      }
      return rows
    },
  }),
  storedQuery({
    id: 3,
    name: 'who received most from swaps in the newest blocks',
    params: Blocks.extend({ limit: whole(100, 10) }),
    async rows(facts, { blocks, limit }) {
      const byAccount = new Map<string, PooledSwap[]>()
      for (const swap of await swapsOf(facts, blocks)) byAccount.set(swap.to, [...(byAccount.get(swap.to) ?? []), swap])
      return [...byAccount]
        .map(([account, swaps]) => ({ account, swaps: swaps.length, volume_usd: volumeOf(swaps) }))
        .sort((a, b) => new Decimal(b.volume_usd ?? -1).cmp(a.volume_usd ?? -1))
        .slice(0, limit)
    },
  }),
]

async function swapsOf(facts: ChainFacts, blocks: number): Promise<readonly PooledSwap[]> {
  const [head, { swaps }] = await Promise.all([facts.head(), facts.swaps()])
  return swaps.filter(({ blockNumber }) => blockNumber > head.number - blocks)
}

function volumeOf(swaps: readonly PooledSwap[]): string | null {
  const priced = swaps.flatMap(({ usd }) => (usd === null ? [] : [usd]))
  if (priced.length === 0 && swaps.length > 0) return null
  return formatUsd(priced.reduce((sum, usd) => sum.add(usd), new Decimal(0)))
}
