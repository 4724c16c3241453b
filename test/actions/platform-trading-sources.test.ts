import assert from 'node:assert/strict'
import { LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { NATIVE_ADDRESS, SourceError } from '@keelson/platform'
import { type Address, ZERO_ADDRESS } from '@keelson/primitives'
import { parseEther } from 'viem'
import { createChainMarket } from '../../packages/platform/src/trading/chain-market.ts'
import { PLATFORM_CHAIN_ID as CHAIN, createPlatformWorld, type PlatformWorld } from '../support/platform-world.ts'

const { TestDollar, TestBitcoin, UniswapV2Router02, PriceFeedBitcoinUsd } = LIQUIDITY_CONTRACTS
const ETHER = 10n ** 18n
const NOBODY = `0x${'77'.repeat(20)}` as Address
const OTHER_CHAIN = 5

describe('the sources of trading', () => {
  let devnet: PlatformWorld
  before(async () => {
    devnet = await createPlatformWorld()
  })
  after(() => devnet.stop())

  it('read tokens, feed prices, routes and the price before the swap', async () => {
    const market = createChainMarket(devnet.chains.all)
    assert.deepEqual(market.chainIds, [CHAIN])
    assert.deepEqual(
      [(await market.token(CHAIN, TestDollar))?.symbol, (await market.token(CHAIN, NATIVE_ADDRESS))?.symbol],
      ['testUSD', 'KEEL'],
    )
    assert.deepEqual([await market.token(CHAIN, NOBODY), await market.token(OTHER_CHAIN, TestDollar)], [null, null])
    assert.equal((await market.price(CHAIN, NATIVE_ADDRESS))?.usd.toFixed(), '2500')
    assert.deepEqual([await market.price(CHAIN, NOBODY), await market.price(OTHER_CHAIN, TestDollar)], [null, null])
    const route = await market.bestRoute(CHAIN, NATIVE_ADDRESS, TestDollar, ETHER)
    assert.deepEqual(
      [route?.venue, route?.router, route?.path, route?.swapFeeBps],
      ['uniswap-v2', UniswapV2Router02, [PREDEPLOYS.WETH, TestDollar], 30],
    )
    // 2,500 minus the fee of 0.3% and the price impact of 1/5,000.
    assert.ok((route?.amountOut ?? 0n) > 2_491_000_000n && (route?.amountOut ?? 0n) < 2_492_500_000n)
    assert.equal((await market.spotPrice(CHAIN, NATIVE_ADDRESS, TestDollar))?.toFixed(), '2500')
    assert.equal((await market.spotPrice(CHAIN, TestBitcoin, TestDollar))?.toFixed(), '100000')
    assert.equal(await market.bestRoute(CHAIN, NATIVE_ADDRESS, NOBODY, ETHER), null)
    assert.equal(await market.spotPrice(OTHER_CHAIN, NATIVE_ADDRESS, TestDollar), null)
  })

  it('read the code of a token, the token list, and the deepest pool at feed prices', async () => {
    const { facts } = createChainMarket(devnet.chains.all)
    const shown = async (token: Address) => {
      const found = await facts(CHAIN, token)
      return found === null ? null : [found.hasCode, found.listed, found.liquidityUsd?.toFixed() ?? null]
    }
    assert.deepEqual(await shown(TestDollar), [true, true, '25000000'])
    assert.deepEqual(await shown(NATIVE_ADDRESS), [false, true, '25000000'])
    assert.deepEqual(await shown(ZERO_ADDRESS), [false, true, '25000000'])
    assert.deepEqual(await shown(TestBitcoin), [true, true, '10000000'])
    assert.deepEqual(await shown(NOBODY), [false, false, null])
    assert.deepEqual(await shown(UniswapV2Router02), [true, false, null])
    assert.equal(await facts(OTHER_CHAIN, TestDollar), null)
  })

  it('value a side without a price at nothing, and follow new blocks', async () => {
    const { facts } = createChainMarket(devnet.chains.all)
    assert.equal((await facts(CHAIN, TestBitcoin))?.liquidityUsd?.toFixed(), '10000000')
    await devnet.stateFeed(PriceFeedBitcoinUsd, 0n)
    assert.equal((await facts(CHAIN, TestBitcoin))?.liquidityUsd?.toFixed(), '5000000')
    await devnet.stateFeed(PriceFeedBitcoinUsd, 100_000n * 10n ** 8n)
    assert.equal((await facts(CHAIN, TestBitcoin))?.liquidityUsd?.toFixed(), '10000000')
  })

  it('find the largest share that one account moved, by transaction sender', async () => {
    const { largestFlow } = createChainMarket(devnet.chains.all)
    assert.equal((await largestFlow(CHAIN, TestDollar))?.shareBps, 0)
    assert.equal(await largestFlow(CHAIN, NOBODY), null)
    assert.equal(await largestFlow(OTHER_CHAIN, TestDollar), null)
    // One account made both swaps.
    await devnet.buyDollars(parseEther('50'))
    await devnet.buyDollars(parseEther('50'))
    const native = await largestFlow(CHAIN, NATIVE_ADDRESS)
    const held = 7_100n
    assert.equal(native?.shareBps, Number((100n * 10_000n + held - 1n) / held))
    assert.ok((native?.windowSec ?? 0) > 0)
    assert.ok(((await largestFlow(CHAIN, TestDollar))?.shareBps ?? 0) > 0)
  })

  it('end a window early when it is too full, and drop an expired one', async () => {
    const last = createChainMarket(devnet.chains.all, { windowBlocks: 300, maxTransactions: 1 })
    const flow = await last.largestFlow(CHAIN, NATIVE_ADDRESS)
    assert.deepEqual([flow?.shareBps, flow?.windowSec], [Number((50n * 10_000n + 7_099n) / 7_100n), 0])
    await devnet.world.mine()
    await devnet.world.mine()
    const short = createChainMarket(devnet.chains.all, { windowBlocks: 2, maxTransactions: 500 })
    assert.equal((await short.largestFlow(CHAIN, NATIVE_ADDRESS))?.shareBps, 0)
  })

  it('compare the next base fee with the median', async () => {
    const { gas } = createChainMarket(devnet.chains.all)
    const state = await gas(CHAIN)
    assert.ok(state !== null && state.baseFeeWei > 0n && state.medianBaseFeeWei > 0n)
    assert.equal(await gas(OTHER_CHAIN), null)
    const latest = await devnet.chains.main.latest()
    const fees = await devnet.chains.main.baseFees(2)
    assert.deepEqual([fees.length, fees[1]], [3, latest.baseFeeWei])
    assert.equal(state.baseFeeWei, fees[2])
  })

  it('report that the chain is unavailable, and retry', async () => {
    const away = devnet.open([{ ...devnet.config, rpcUrl: 'http://127.0.0.1:1' }])
    const isAway = (error: unknown) => error instanceof SourceError && error.reason === 'unreachable'
    const market = createChainMarket(away.all)
    for (let i = 0; i < 2; i++) await assert.rejects(market.facts(CHAIN, TestDollar), isAway)
    await assert.rejects(market.largestFlow(CHAIN, TestDollar), isAway)
    await assert.rejects(market.gas(CHAIN), isAway)
    await assert.rejects(market.bestRoute(CHAIN, NATIVE_ADDRESS, TestDollar, ETHER), isAway)
    away.close()
  })
})
