import assert from 'node:assert/strict'
import { LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { type ChainConfig, type Chains, NATIVE_ADDRESS, SourceError, succeeded } from '@keelson/platform'
import { type Address, toHash } from '@keelson/primitives'
import { createPublicClient, http, parseAbi, parseEther } from 'viem'
import { PLATFORM_CHAIN_ID as CHAIN_ID, createPlatformWorld, type PlatformWorld } from '../support/platform-world.ts'

const { TestDollar, TestDollar18, TestBitcoin, UniswapV2Router02, PriceFeedBitcoinUsd } = LIQUIDITY_CONTRACTS
const ROUTER = parseAbi(['function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])'])

describe('the agent platform reads the chain', () => {
  let devnet: PlatformWorld
  let chains: Chains
  let config: ChainConfig
  before(async () => {
    devnet = await createPlatformWorld()
    chains = devnet.chains
    config = devnet.config
  })
  after(() => devnet.stop())

  it('under each of its names', () => {
    for (const name of ['84532', 'Keelson-Devnet', 'evm', undefined]) assert.deepEqual(chains.find(name), succeeded(chains.main), name)
    assert.equal(chains.byId(CHAIN_ID), chains.main)
    assert.equal(chains.find('mainnet').ok, false)
  })

  it('prices pairs from the feeds, and names their rounds', async () => {
    const { main } = chains
    const direct = await main.price({ base: 'ETH', quote: 'USD' })
    assert.deepEqual([direct?.price.toFixed(), direct?.method, direct?.readings.map(({ roundId }) => roundId)], ['2500', 'direct', [1n]])
    assert.equal(direct?.readings[0]?.description, 'NATIVE / USD')
    const cross = await main.price({ base: 'testbtc', quote: 'keel' })
    assert.deepEqual([cross?.price.toFixed(), cross?.method, cross?.readings.length], ['40', 'cross', 2])
    assert.equal(await main.price({ base: 'DOGE', quote: 'USD' }), null)
  })

  it('lists the tokens and an account’s balances', async () => {
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
    const { nativeWei, tokens: held } = await chains.main.balances(devnet.trader)
    assert.ok(nativeWei > 0n)
    assert.deepEqual(
      held.map(({ amount }) => amount),
      [0n, 100_000n * 10n ** 6n, 100_000n * 10n ** 18n, 5n * 10n ** 8n],
    )
    assert.equal(await chains.main.token(devnet.trader), null)
    assert.equal((await chains.main.token(NATIVE_ADDRESS))?.symbol, 'KEEL')
  })

  it('tells of a transaction whether it was mined, and null of an unknown one', async () => {
    await devnet.world.mine()
    const viem = createPublicClient({ transport: http(config.rpcUrl) })
    const { transactions, timestamp } = await viem.getBlock({ blockNumber: 1n })
    const hash = toHash(transactions[0] ?? assert.fail('block 1 is empty'))
    const { status } = await viem.getTransactionReceipt({ hash })
    const found = await chains.main.transaction(hash)
    const { success, blockNumber, timestampSec, confirmations = 0 } = found?.mined ?? {}
    assert.deepEqual([success, blockNumber, timestampSec], [status === 'success', 1, Number(timestamp)])
    assert.equal(confirmations, Number(await viem.getBlockNumber()))
    assert.equal(await chains.main.transaction(toHash(`0x${'ab'.repeat(32)}`)), null)
  })

  it('reads the same without Multicall3', async () => {
    const plain = devnet.open([{ ...config, multicall: null }])
    assert.deepEqual(await plain.main.pools(), await chains.main.pools())
    const misplaced = devnet.open([{ ...config, multicall: devnet.trader }])
    assert.deepEqual(await misplaced.main.pools(), await chains.main.pools())
    plain.close()
    misplaced.close()
  })

  it('finds the pools and quotes like the router over one, two and three pools', async () => {
    const pools = await chains.main.pools()
    const { PairNativeDollar, PairNativeBitcoin, PairDollars } = devnet.addresses
    assert.deepEqual(pools.map(({ address }) => address).sort(), [PairNativeDollar, PairNativeBitcoin, PairDollars].sort())
    const reader = createPublicClient({ transport: http(devnet.url) })
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
    const hash = await devnet.buyDollars(parseEther('1'))
    const { number, timestampSec } = await chains.main.latest()
    const [swap, ...more] = await chains.main.swaps([devnet.addresses.PairNativeDollar], { fromBlock: before.number + 1, toBlock: number })
    assert.equal(more.length, 0)
    assert.deepEqual([swap?.transactionHash, swap?.timestampSec], [hash, timestampSec])
    assert.deepEqual([swap?.in0, swap?.in1, swap?.out0, swap?.out1].sort(), [0n, 0n, parseEther('1'), quote?.amountOut].sort())
  })

  it('refuses a zero or stale price by name, and keeps the others', async () => {
    const refusedWith = (reason: string) => (error: unknown) =>
      error instanceof SourceError &&
      error.reason === reason &&
      error.message.includes(PriceFeedBitcoinUsd) &&
      error.source.includes('127.0.0.1')
    const bitcoin = { base: 'BTC', quote: 'USD' }
    await devnet.stateFeed(PriceFeedBitcoinUsd, 0n)
    await assert.rejects(chains.main.price(bitcoin), refusedWith('bad-answer'))
    await devnet.stateFeed(PriceFeedBitcoinUsd, 90_000n * 10n ** 8n)
    assert.equal((await chains.main.price(bitcoin))?.price.toFixed(), '90000')
    await devnet.stateFeed(PriceFeedBitcoinUsd, null)
    for (let blocks = 0; blocks < 95; blocks++) await devnet.world.mine()
    await assert.rejects(chains.main.price(bitcoin), refusedWith('stale'))
    const prices = await chains.main.usdPrices()
    assert.deepEqual([prices.native?.toFixed(), prices.of(TestBitcoin), prices.failures.length], ['2500', null, 1])
  })

  it('names a chain that is unavailable, and uses no other chain instead', async () => {
    const gone = devnet.open([{ ...config, rpcUrl: 'http://127.0.0.1:1' }])
    await assert.rejects(
      gone.main.latest(),
      (error) => error instanceof SourceError && error.reason === 'unreachable' && /127\.0\.0\.1:1/.test(error.source),
    )
    gone.close()
    const other = devnet.open([{ ...config, id: 1 }])
    await assert.rejects(other.main.latest(), /expected a node of chain 1, got one of chain 84532/)
    other.close()
  })
})
