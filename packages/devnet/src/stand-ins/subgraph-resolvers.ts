import { type BlockFacts, Decimal, formatAmount, formatUsd, type PoolState, type TokenFacts } from '@keelson/platform'
import { isHex, toAddress } from '@keelson/primitives'
import { GraphQLError } from 'graphql'
import { type ChainFacts, type PooledSwap, poolUsd } from './chain-facts.ts'

interface Page {
  readonly first: number
  readonly skip: number
}
interface Ordered extends Page {
  readonly orderBy: string
  readonly orderDirection: 'asc' | 'desc'
}
interface SwapQuestion extends Ordered {
  readonly where?: { readonly pool?: string | null; readonly to?: string | null } | null
}

export const MAX_ENTRIES = 100
export const MAX_ENTRIES_IN_ALL = 500
const MAX_SKIP = 10_000
const BLOCKS_AT_ONCE = 16

/** The fields of one query share a limit of entries. Resolvers throw SourceError. */
export function createSubgraphRoot(facts: ChainFacts) {
  let left = MAX_ENTRIES_IN_ALL

  function checked({ first, skip }: Page): Page {
    if (first < 1 || first > MAX_ENTRIES) throw new GraphQLError(`expected first from 1 to ${MAX_ENTRIES}, got ${first}`)
    if (skip < 0 || skip > MAX_SKIP) throw new GraphQLError(`expected skip from 0 to ${MAX_SKIP}, got ${skip}`)
    return { first, skip }
  }
  function page<T>(all: readonly T[], asked: Page): readonly T[] {
    const { first, skip } = checked(asked)
    const entries = all.slice(skip, skip + first)
    spend(entries.length)
    return entries
  }
  function spend(entries: number): void {
    left -= entries
    if (left < 0) throw new GraphQLError(`expected a query for at most ${MAX_ENTRIES_IN_ALL} entries in all`)
  }

  const token = ({ address, symbol, decimals }: TokenFacts) => ({
    id: address,
    symbol,
    decimals,
    priceUSD: async () => (await facts.prices()).of(address)?.toFixed() ?? null,
  })

  const pool = (state: PoolState) => ({
    id: state.address,
    token0: () => token(state.token0),
    token1: () => token(state.token1),
    reserve0: formatAmount(state.reserve0, state.token0.decimals),
    reserve1: formatAmount(state.reserve1, state.token1.decimals),
    tvlUSD: async () => usdText(poolUsd(state, await facts.prices())),
    feeBps: state.feeBps,
    swaps: async (asked: Page) =>
      page(
        (await facts.swaps()).swaps.filter(({ of }) => of.address === state.address),
        asked,
      ).map(swap),
  })

  const swap = (event: PooledSwap) => ({
    id: `${event.transactionHash}-${event.logIndex}`,
    pool: () => pool(event.of),
    blockNumber: event.blockNumber,
    timestamp: event.timestampSec,
    transaction: event.transactionHash,
    logIndex: event.logIndex,
    amount0In: formatAmount(event.in0, event.of.token0.decimals),
    amount1In: formatAmount(event.in1, event.of.token1.decimals),
    amount0Out: formatAmount(event.out0, event.of.token0.decimals),
    amount1Out: formatAmount(event.out1, event.of.token1.decimals),
    amountUSD: usdText(event.usd),
    to: event.to,
  })

  async function poolsByValue(): Promise<readonly PoolState[]> {
    const [states, prices] = await Promise.all([facts.pools(), facts.prices()])
    return [...states].sort((a, b) => compareUsd(poolUsd(a, prices), poolUsd(b, prices)))
  }

  return {
    _meta: async () => ({
      block: block(await facts.head()),
      swapsFromBlock: async () => (await facts.swaps()).fromBlock,
      hasIndexingErrors: false,
    }),
    tokens: async (asked: Page) => page(await facts.tokens(), asked).map(token),
    token: async ({ id }: { readonly id: string }) => {
      const found = (await facts.tokens()).find(({ address }) => address === id.toLowerCase())
      return found === undefined ? null : token(found)
    },
    pools: async ({ orderBy, orderDirection, ...asked }: Ordered) => {
      const ascending =
        orderBy === 'id' ? [...(await facts.pools())].sort((a, b) => (a.address < b.address ? -1 : 1)) : await poolsByValue()
      return page(directed(ascending, orderDirection), asked).map(pool)
    },
    pool: async ({ id }: { readonly id: string }) => {
      const found = (await facts.pools()).find(({ address }) => address === id.toLowerCase())
      return found === undefined ? null : pool(found)
    },
    swaps: async ({ orderBy, orderDirection, where, ...asked }: SwapQuestion) => {
      const { swaps } = await facts.swaps()
      const wanted = swaps.filter(
        ({ of, to }) => (where?.pool ?? of.address).toLowerCase() === of.address && (where?.to ?? to).toLowerCase() === to,
      )
      const ascending = orderBy === 'amountUSD' ? wanted.sort((a, b) => compareUsd(a.usd, b.usd)) : wanted.reverse()
      return page(directed(ascending, orderDirection), asked).map(swap)
    },
    blocks: async (asked: Page) => {
      const { first, skip } = checked(asked)
      const from = (await facts.head()).number - skip
      const numbers = Array.from({ length: Math.max(0, Math.min(first, from + 1)) }, (_, i) => from - i)
      spend(numbers.length)
      const found: (BlockFacts | null)[] = []
      for (let at = 0; at < numbers.length; at += BLOCKS_AT_ONCE)
        found.push(...(await Promise.all(numbers.slice(at, at + BLOCKS_AT_ONCE).map((number) => facts.block(number)))))
      return found.filter((one) => one !== null).map(block)
    },
    block: async ({ number }: { readonly number: number }) => {
      spend(1)
      const found = number < 0 || number > (await facts.head()).number ? null : await facts.block(number)
      return found === null ? null : block(found)
    },
    account: async ({ id }: { readonly id: string }) => {
      if (!isHex(id.toLowerCase(), 20)) throw new GraphQLError('expected an address: 0x and 40 hex digits')
      spend(1)
      const { nativeWei, tokens } = await facts.chain.balances(toAddress(id))
      return {
        id: toAddress(id),
        balance: formatAmount(nativeWei, facts.chain.config.native.decimals),
        tokens: tokens.map(({ token: held, amount }) => ({ token: token(held), balance: formatAmount(amount, held.decimals) })),
      }
    },
  }
}

function block({ hash, baseFeeWei, gasUsed, gasLimit, timestampSec, ...facts }: BlockFacts) {
  return {
    id: hash,
    number: facts.number,
    parentHash: facts.parentHash,
    timestamp: timestampSec,
    transactions: facts.transactions,
    gasUsed: String(gasUsed),
    gasLimit: String(gasLimit),
    baseFeeWei: baseFeeWei === null ? null : String(baseFeeWei),
  }
}

function usdText(usd: Decimal | null): string | null {
  return usd === null ? null : formatUsd(usd)
}

function compareUsd(a: Decimal | null, b: Decimal | null): number {
  return (a ?? new Decimal(-1)).cmp(b ?? new Decimal(-1))
}

function directed<T>(ascending: readonly T[], direction: 'asc' | 'desc'): readonly T[] {
  return direction === 'asc' ? ascending : [...ascending].reverse()
}
