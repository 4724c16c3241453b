/** The agent platform's reading of a chain, on the development network's genesis: prices, balances, pools, quotes, swaps. */
import assert from 'node:assert/strict'
import { loadGenesis } from '@keelson/chainspec'
import { LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { type ChainConfig, type Chains, createChains, devnetChains, NATIVE_ADDRESS, SourceError } from '@keelson/platform'
import type { Address, Clock } from '@keelson/primitives'
import { createSeededRandom, createSilentLogger } from '@keelson/runtime'
import { createPublicClient, createWalletClient, defineChain, encodeFunctionData, http, parseAbi, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEV_ACCOUNTS, DEV_ROLES, type DevAccount } from '../../packages/node/src/genesis/dev-accounts.ts'
import { loadPrebuiltDevnet } from '../../packages/node/src/genesis/prebuilt-devnet.ts'
import { serveMethods } from '../support/execution-rpc-world.ts'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'

const GENESIS_TIME_SEC = 1_800_000_000
const CHAIN_ID = 84_532
const { TestDollar, TestDollar18, TestBitcoin, UniswapV2Router02, PriceFeedBitcoinUsd } = LIQUIDITY_CONTRACTS
const ROUTER = parseAbi([
  'function swapExactETHForTokens(uint256, address[] path, address to, uint256) payable returns (uint256[])',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
])
const FEED = parseAbi(['function post(int256)', 'function fallSilent()'])

describe('the agent platform reads the chain', () => {
  const devnet = loadPrebuiltDevnet(GENESIS_TIME_SEC)
  const { accounts: alloc } = loadGenesis(JSON.parse(devnet.l2Json()))
  let world: ExecutionWorld
  let url: string
  let stopServer: () => Promise<void>
  let config: ChainConfig
  let chains: Chains
  // pauses before a second attempt take no time
  const clock = (): Clock => ({ ...world.clock, sleep: async () => undefined })
  const open = (configs: readonly ChainConfig[]) =>
    createChains(configs, { clock: clock(), random: createSeededRandom(1), log: createSilentLogger() })
  const trader = privateKeyToAccount((DEV_ACCOUNTS[3] as DevAccount).privateKey)
  const writer = (key: `0x${string}`) => {
    const native = { name: 'native', symbol: 'KEEL', decimals: 18 }
    const chain = defineChain({ id: CHAIN_ID, name: 'devnet', nativeCurrency: native, rpcUrls: { default: { http: [url] } } })
    return createWalletClient({ account: privateKeyToAccount(key), chain, transport: http(url) })
  }

  before(async () => {
    world = await createExecutionWorld({ genesisTimestampSec: GENESIS_TIME_SEC, chainId: BigInt(CHAIN_ID), alloc })
    const server = await serveMethods(world.node.methods)
    url = server.httpUrl
    stopServer = () => server.stop()
    const facts = {
      l1: { rpcUrl: 'http://127.0.0.1:1', chainId: 900 },
      l2: { rpcUrl: url, chainId: CHAIN_ID },
      contracts: devnet.addresses,
    }
    config = devnetChains(facts, { symbol: 'KEEL' })[0] as ChainConfig
    chains = open([config])
  })
  after(async () => {
    chains.close()
    await stopServer()
    await world.stop()
  })

  it('under each of its names', () => {
    for (const name of ['84532', 'Keelson-Devnet', 'evm']) assert.equal(chains.find(name), chains.main, name)
    assert.equal(chains.byId(CHAIN_ID), chains.main)
    assert.equal(chains.find('mainnet'), null)
  })

  it('prices pairs from the feeds, and names the rounds', async () => {
    const { main } = chains
    const direct = await main.price({ base: 'ETH', quote: 'USD' })
    assert.deepEqual([direct?.price.toFixed(), direct?.method, direct?.readings.map(({ roundId }) => roundId)], ['2500', 'direct', [1n]])
    assert.equal(direct?.readings[0]?.description, 'NATIVE / USD')
    const cross = await main.price({ base: 'testbtc', quote: 'keel' })
    assert.deepEqual([cross?.price.toFixed(), cross?.method, cross?.readings.length], ['40', 'cross', 2])
    assert.equal(await main.price({ base: 'DOGE', quote: 'USD' }), null)
  })

  it('knows the tokens, and what somebody holds of them', async () => {
    const tokens = await chains.main.knownTokens()
    assert.deepEqual(
      tokens.map(({ symbol, decimals }) => [symbol, decimals]),
      [
        ['WETH', 18],
        ['testUSD', 6],
        ['testUSD18', 18],
        ['testBTC', 8],
      ],
    )
    const { nativeWei, tokens: held } = await chains.main.balances(trader.address.toLowerCase() as Address)
    assert.ok(nativeWei > 0n)
    assert.deepEqual(
      held.map(({ amount }) => amount),
      [0n, 100_000n * 10n ** 6n, 100_000n * 10n ** 18n, 5n * 10n ** 8n],
    )
    assert.equal(await chains.main.token(trader.address.toLowerCase() as Address), null)
    assert.equal((await chains.main.token(NATIVE_ADDRESS))?.symbol, 'KEEL')
  })

  it('reads the same without Multicall3', async () => {
    const plain = open([{ ...config, multicall: null }])
    assert.deepEqual(await plain.main.pools(), await chains.main.pools())
    const misplaced = open([{ ...config, multicall: trader.address.toLowerCase() as Address }])
    assert.deepEqual(await misplaced.main.pools(), await chains.main.pools())
    plain.close()
    misplaced.close()
  })

  it('finds the pools and quotes what the router quotes, over one pool and over two and three', async () => {
    const pools = await chains.main.pools()
    const { PairNativeDollar, PairNativeBitcoin, PairDollars } = devnet.addresses
    assert.deepEqual(pools.map(({ address }) => address).sort(), [PairNativeDollar, PairNativeBitcoin, PairDollars].sort())
    const reader = createPublicClient({ transport: http(url) })
    for (const [tokenIn, tokenOut, amountIn, path] of [
      [NATIVE_ADDRESS, TestDollar, parseEther('3'), [PREDEPLOYS.WETH, TestDollar]],
      [TestDollar, TestBitcoin, 5_000n * 10n ** 6n, [TestDollar, PREDEPLOYS.WETH, TestBitcoin]],
      [TestDollar18, TestBitcoin, 777n * 10n ** 18n, [TestDollar18, TestDollar, PREDEPLOYS.WETH, TestBitcoin]],
    ] as const) {
      const quote = await chains.main.quote({ tokenIn, tokenOut, amountIn })
      assert.deepEqual(quote?.path, path)
      const args = [amountIn, path] as const
      const amounts = await reader.readContract({ address: UniswapV2Router02, abi: ROUTER, functionName: 'getAmountsOut', args })
      assert.equal(quote?.amountOut, amounts.at(-1))
      assert.ok((quote?.priceImpactBps ?? 0) > 0)
    }
    assert.equal(await chains.main.quote({ tokenIn: NATIVE_ADDRESS, tokenOut: PREDEPLOYS.WETH, amountIn: 1n }), null)
    const nobody = '0x00000000000000000000000000000000000dead1' as Address
    assert.equal(await chains.main.quote({ tokenIn: nobody, tokenOut: TestDollar, amountIn: 1n }), null)
  })

  it('sees a swap in the logs, with the amounts that moved', async () => {
    const before = await chains.main.latest()
    const quote = await chains.main.quote({ tokenIn: NATIVE_ADDRESS, tokenOut: TestDollar, amountIn: parseEther('1') })
    const data = encodeFunctionData({
      abi: ROUTER,
      functionName: 'swapExactETHForTokens',
      args: [0n, [PREDEPLOYS.WETH, TestDollar], trader.address, BigInt(GENESIS_TIME_SEC + 100_000)],
    })
    const hash = await writer((DEV_ACCOUNTS[3] as DevAccount).privateKey).sendTransaction({
      to: UniswapV2Router02,
      data,
      value: parseEther('1'),
    })
    await world.mine()
    const { number, timestampSec } = await chains.main.latest()
    const [swap, ...more] = await chains.main.swaps([devnet.addresses.PairNativeDollar], { fromBlock: before.number + 1, toBlock: number })
    assert.equal(more.length, 0)
    assert.deepEqual([swap?.transactionHash, swap?.timestampSec], [hash, timestampSec])
    assert.deepEqual([swap?.in0, swap?.in1, swap?.out0, swap?.out1].sort(), [0n, 0n, parseEther('1'), quote?.amountOut].sort())
  })

  it('refuses a price that is zero, and one that fell silent, by name; other prices stay', async () => {
    const admin = writer(DEV_ROLES.admin.privateKey)
    const act = async (functionName: 'post' | 'fallSilent', args: readonly [bigint] | readonly []) => {
      await admin.sendTransaction({
        to: PriceFeedBitcoinUsd,
        data: encodeFunctionData({ abi: FEED, functionName, args } as never),
        gas: 200_000n,
      })
      await world.mine()
    }
    const refusedWith = (reason: string) => (error: unknown) =>
      error instanceof SourceError &&
      error.reason === reason &&
      error.message.includes(PriceFeedBitcoinUsd) &&
      error.source.includes('127.0.0.1')
    const bitcoin = { base: 'BTC', quote: 'USD' }
    await act('post', [0n])
    await assert.rejects(chains.main.price(bitcoin), refusedWith('bad-answer'))
    await act('post', [90_000n * 10n ** 8n])
    assert.equal((await chains.main.price(bitcoin))?.price.toFixed(), '90000')
    await act('fallSilent', [])
    for (let blocks = 0; blocks < 95; blocks++) await world.mine()
    await assert.rejects(chains.main.price(bitcoin), refusedWith('stale'))
    const prices = await chains.main.usdPrices()
    assert.deepEqual([prices.native?.toFixed(), prices.of(TestBitcoin), prices.failures.length], ['2500', null, 1])
  })

  it('says which chain cannot be asked, and does not take another chain for it', async () => {
    const gone = open([{ ...config, rpcUrl: 'http://127.0.0.1:1' }])
    await assert.rejects(
      gone.main.latest(),
      (error) => error instanceof SourceError && error.reason === 'unreachable' && /127\.0\.0\.1:1/.test(error.source),
    )
    gone.close()
    const other = open([{ ...config, id: 1 }])
    await assert.rejects(other.main.latest(), /expected a node of chain 1, got one of chain 84532/)
    other.close()
  })
})
