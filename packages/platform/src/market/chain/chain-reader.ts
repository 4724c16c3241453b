/** One chain as tools, trading and the agent read it. Every method throws SourceError when the chain cannot be asked. */
import type { Address, Hash } from '@keelson/primitives'
import { createPoolBook, type PoolState } from '../pools/pools.ts'
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
  /** Tokens, or NATIVE_ADDRESS (the zero address too) for the native currency. */
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
  /** For texts: chain and host. */
  readonly label: string
  /** Null when the chain has no such block. */
  block(at: BlockAt): Promise<BlockFacts | null>
  latest(): Promise<BlockFacts>
  gas(): Promise<GasFacts>
  /** Of so many newest blocks, oldest first, and last that of the block to come; empty where there are none. */
  baseFees(blocks: number): Promise<readonly bigint[]>
  hasCode(address: Address): Promise<boolean>
  /** Of transactions, in their order; null for one that the chain does not have. */
  senders(transactions: readonly Hash[]): Promise<readonly (Address | null)[]>
  /** Null where no token is; the native currency under NATIVE_ADDRESS. */
  token(address: Address): Promise<TokenFacts | null>
  knownTokens(): Promise<readonly TokenFacts[]>
  balances(of: Address): Promise<AccountBalances>
  /** Between known tokens, and those of `more`. */
  pools(block?: BlockFacts, more?: readonly Address[]): Promise<readonly PoolState[]>
  /** What the pools would give at the newest block; null when no way leads there. */
  quote(question: SwapQuestion): Promise<SwapAnswer | null>
  /** Null when no feeds have the pair. Throws SourceError for one that is stale. */
  price(pair: Pair): Promise<PairPrice | null>
  usdPrices(block?: BlockFacts): Promise<UsdPrices>
  /** What is reckoned from a block, once for all who ask: `what` names it among everything that is kept of this chain. */
  ofBlock<T>(block: BlockFacts, what: string, read: () => Promise<T>): Promise<T>
  swaps(pools: readonly Address[], range: BlockRange): Promise<readonly SwapEvent[]>
  /** What pools know a token as: the wrapped one for the native currency, null when there is none. */
  poolToken(address: Address): Address | null
  close(): void
}

export function createChainReader(config: ChainConfig, dependencies: ChainDependencies): ChainReader {
  return chainReaderOver(createChainClient(config, dependencies), dependencies)
}

/** For tests of readers over a client of their own. */
export function chainReaderOver(client: ChainClient, { clock }: Pick<ChainDependencies, 'clock'>): ChainReader {
  const { config } = client
  const tokens = createTokenCache(client)
  const pools = createPoolBook(client, tokens)
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
