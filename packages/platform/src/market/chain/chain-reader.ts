/** One chain as tools and trading read it. Methods throw SourceError when the chain does not respond. */
import type { Address, Hash } from '@keelson/primitives'
import { createPoolCache, type PoolState } from '../pools/pools.ts'
import { findBestRoute, type Route } from '../pools/routes.ts'
import { type BlockRange, readSwaps, type SwapEvent } from '../pools/swaps.ts'
import type { Pair } from '../prices/pair-legs.ts'
import { type PairPrice, readPairPrice, readUsdPrices, type UsdPrices } from '../prices/prices.ts'
import { SourceError } from '../source-error.ts'
import { type AccountBalances, readBalances } from './balances.ts'
import { createBlockMemo, shareWhileAsked } from './block-memo.ts'
import { type BlockAt, type BlockFacts, type GasFacts, readBaseFees, readBlock, readGas } from './blocks.ts'
import { type ChainClient, type ChainDependencies, createChainClient } from './chain-client.ts'
import type { ChainConfig } from './chain-config.ts'
import { isNative, NATIVE_ADDRESS } from './native-address.ts'
import { readHasCode, readSenders } from './origins.ts'
import { createTokenCache, type TokenFacts } from './tokens.ts'

export interface SwapQuestion {
  /** Tokens, or NATIVE_ADDRESS (or the zero address) for the native currency. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
}

export interface SwapAnswer extends Route {
  readonly venue: string
  readonly amountIn: bigint
  readonly block: BlockFacts
}

export interface ChainReader {
  readonly config: ChainConfig
  /** Chain and host, for texts. */
  readonly label: string
  /** Null when the chain has no such block. */
  block(at: BlockAt): Promise<BlockFacts | null>
  latest(): Promise<BlockFacts>
  gas(): Promise<GasFacts>
  /** Base fees of the newest `blocks`, oldest first, then the next block's; empty without base fees. */
  baseFees(blocks: number): Promise<readonly bigint[]>
  hasCode(address: Address): Promise<boolean>
  /** Senders in the order of the hashes; null for an unknown transaction. */
  senders(transactions: readonly Hash[]): Promise<readonly (Address | null)[]>
  /** Null where there is no token; NATIVE_ADDRESS is the native currency. */
  token(address: Address): Promise<TokenFacts | null>
  knownTokens(): Promise<readonly TokenFacts[]>
  balances(of: Address): Promise<AccountBalances>
  /** Pools between configured tokens and those of `more`. */
  pools(block?: BlockFacts, more?: readonly Address[]): Promise<readonly PoolState[]>
  /** The best route at the newest block; null when there is none. */
  quote(question: SwapQuestion): Promise<SwapAnswer | null>
  /** Null when no feeds price the pair. Throws SourceError for a stale feed. */
  price(pair: Pair): Promise<PairPrice | null>
  usdPrices(block?: BlockFacts): Promise<UsdPrices>
  /** Memoizes a value per block; `what` is the cache key. */
  ofBlock<T>(block: BlockFacts, what: string, read: () => Promise<T>): Promise<T>
  swaps(pools: readonly Address[], range: BlockRange): Promise<readonly SwapEvent[]>
  /** The token as pools trade it: the wrapped one for the native currency, null when there is none. */
  poolToken(address: Address): Address | null
  close(): void
}

export function createChainReader(config: ChainConfig, dependencies: ChainDependencies): ChainReader {
  return chainReaderOver(createChainClient(config, dependencies), dependencies)
}

/** For tests that pass their own client. */
export function chainReaderOver(client: ChainClient, { clock }: Pick<ChainDependencies, 'clock'>): ChainReader {
  const { config } = client
  const tokens = createTokenCache(client)
  const pools = createPoolCache(client, tokens)
  const memo = createBlockMemo()

  const latest = shareWhileAsked(async (): Promise<BlockFacts> => {
    const block = await readBlock(client, 'latest')
    if (block === null) throw new SourceError(client.label, 'bad-answer', 'it has no newest block')
    return block
  })
  const poolsAt = (block: BlockFacts, more: readonly Address[] = []) => memo.read(block, `pools ${more}`, () => pools.pools(block, more))
  function poolToken(address: Address): Address | null {
    return isNative(address) ? config.wrappedNative : address
  }

  return {
    config,
    label: client.label,
    block: (at) => readBlock(client, at),
    latest,
    gas: () => readGas(client),
    baseFees: (blocks) => readBaseFees(client, blocks),
    hasCode: (address) => readHasCode(client, address),
    senders: (transactions) => readSenders(client, transactions),
    async token(address) {
      if (isNative(address)) return { address: NATIVE_ADDRESS, ...config.native, known: true }
      const kept = tokens.kept(address)
      if (kept !== null) return kept
      const [facts] = await tokens.facts([address], (await latest()).number)
      return facts ?? null
    },
    async knownTokens() {
      const addresses = config.tokens.map(({ address }) => address)
      return (await tokens.facts(addresses, (await latest()).number)).filter((token) => token !== null)
    },
    balances: async (of) => readBalances(client, tokens, of, await latest()),
    pools: async (block, more) => poolsAt(block ?? (await latest()), more),
    async quote({ tokenIn, tokenOut, amountIn }) {
      const [from, to] = [poolToken(tokenIn), poolToken(tokenOut)]
      if (config.exchange === null || from === null || to === null || from === to) return null
      const block = await latest()
      const { hubs, venue } = config.exchange
      const route = findBestRoute(await poolsAt(block, [from, to]), { tokenIn: from, tokenOut: to, amountIn, hubs })
      return route === null ? null : { ...route, venue, amountIn, block }
    },
    price: async (pair) => readPairPrice(client, pair, await latest(), clock, memo),
    usdPrices: async (block) => readUsdPrices(client, block ?? (await latest()), clock, memo),
    ofBlock: (block, what, read) => memo.read(block, what, read),
    swaps: (of, range) => readSwaps(client, of, range),
    poolToken,
    close: () => client.close(),
  }
}
