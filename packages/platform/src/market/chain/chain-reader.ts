import { type Address, type Hash, toAddress } from '@keelson/primitives'
import { erc20Abi, TransactionNotFoundError } from 'viem'
import { PoolCache, type PoolState } from '../pools/pools.ts'
import { findBestRoute } from '../pools/routes.ts'
import { type BlockRange, readSwaps } from '../pools/swaps.ts'
import type { Pair } from '../prices/pair-legs.ts'
import { ChainPrices, type PairPrice, type UsdPrices } from '../prices/prices.ts'
import { SourceError } from '../source-error.ts'
import { BlockMemo, shareWhileAsked } from './block-memo.ts'
import { type BlockAt, type BlockFacts, readBlock } from './blocks.ts'
import { type ChainDependencies, createChainClient, inPages } from './chain-client.ts'
import type { ChainConfig } from './chain-config.ts'
import { isNative, NATIVE_ADDRESS } from './native-address.ts'
import { TokenCache, type TokenFacts } from './tokens.ts'
import { readTransaction, type TransactionFacts } from './transactions.ts'

export interface SwapQuestion {
  /** NATIVE_ADDRESS and the zero address denote the native currency. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
}

export type ChainReader = ReturnType<typeof createChainReader>

/** Methods throw SourceError. */
export function createChainReader(config: ChainConfig, dependencies: ChainDependencies) {
  const client = createChainClient(config, dependencies)
  const { label } = client
  const tokens = new TokenCache(client)
  const poolCache = new PoolCache(client, tokens)
  const memo = new BlockMemo()
  const prices = new ChainPrices(client, dependencies.clock, memo)
  const configured = config.tokens.map(({ address }) => address)

  const latest = shareWhileAsked(async (): Promise<BlockFacts> => {
    const block = await readBlock(client, 'latest')
    if (block === null) throw new SourceError(label, 'bad-answer', 'it has no newest block')
    return block
  })
  const poolsAt = (block: BlockFacts, more: readonly Address[] = []): Promise<readonly PoolState[]> =>
    memo.read(block, `pools ${more}`, () => poolCache.pools(block, more))
  const poolToken = (address: Address): Address | null => (isNative(address) ? config.wrappedNative : address)
  const senderOf = (hash: Hash): Promise<Address | null> =>
    client.ask(async (viem) => {
      const transaction = await viem.getTransaction({ hash }).catch((error: unknown) => {
        if (error instanceof TransactionNotFoundError) return null
        throw error
      })
      return transaction === null ? null : toAddress(transaction.from.toLowerCase())
    })

  return {
    config,
    label,
    block: (at: BlockAt): Promise<BlockFacts | null> => readBlock(client, at),
    latest,
    transaction: (hash: Hash): Promise<TransactionFacts | null> => readTransaction(client, hash),
    gasPriceWei: () => client.ask((viem) => viem.getGasPrice()),
    /** Ordered from the oldest block to the next one. */
    baseFees: (blocks: number): Promise<readonly bigint[]> =>
      client.ask(async (viem) => (await viem.getFeeHistory({ blockCount: blocks, rewardPercentiles: [] })).baseFeePerGas ?? []),
    hasCode: (address: Address): Promise<boolean> =>
      client.ask(async (viem) => !['0x', undefined].includes(await viem.getCode({ address }))),
    senders: (transactions: readonly Hash[]): Promise<readonly (Address | null)[]> => inPages(transactions, senderOf),
    async token(address: Address): Promise<TokenFacts | null> {
      if (isNative(address)) return { address: NATIVE_ADDRESS, ...config.native, known: true }
      const kept = tokens.kept(address)
      if (kept !== null) return kept
      const [facts] = await tokens.facts([address], (await latest()).number)
      return facts ?? null
    },
    async knownTokens(): Promise<readonly TokenFacts[]> {
      return (await tokens.facts(configured, (await latest()).number)).filter((token) => token !== null)
    },
    /** Includes balances of zero. */
    async balances(owner: Address) {
      const block = await latest()
      const reads = configured.map((address) => ({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] }))
      const [nativeWei, facts, amounts] = await Promise.all([
        client.ask((viem) => viem.getBalance({ address: owner, blockNumber: BigInt(block.number) })),
        tokens.facts(configured, block.number),
        client.readMany(reads, block.number),
      ])
      const held = facts.flatMap((token, i) => {
        const amount = amounts[i]
        return token === null || typeof amount !== 'bigint' ? [] : [{ token, amount }]
      })
      return { block, nativeWei, tokens: held }
    },
    pools: async (block?: BlockFacts, more?: readonly Address[]) => poolsAt(block ?? (await latest()), more),
    async quote({ tokenIn, tokenOut, amountIn }: SwapQuestion) {
      const [from, to] = [poolToken(tokenIn), poolToken(tokenOut)]
      if (config.exchange === null || from === null || to === null || from === to) return null
      const { hubs, venue } = config.exchange
      const route = findBestRoute(await poolsAt(await latest(), [from, to]), { tokenIn: from, tokenOut: to, amountIn, hubs })
      return route === null ? null : { ...route, venue }
    },
    price: async (pair: Pair): Promise<PairPrice | null> => prices.pair(pair, await latest()),
    usdPrices: async (block?: BlockFacts): Promise<UsdPrices> => prices.usd(block ?? (await latest())),
    /** `what` identifies the value among those memoized for the block. */
    ofBlock: <T>(block: BlockFacts, what: string, read: () => Promise<T>): Promise<T> => memo.read(block, what, read),
    swaps: (pools: readonly Address[], range: BlockRange) => readSwaps(client, pools, range),
    poolToken,
    close: () => client.close(),
  }
}
