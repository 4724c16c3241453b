import assert from 'node:assert/strict'
import { LIQUIDITY_CONTRACTS } from '@keelson/contracts'
import {
  createChainDefidata,
  createDefidata,
  type MarketEvent,
  MarketSubscriptions,
  onChain,
  oraclePrice,
  PoolFeed,
  SourceError,
  type ToolOutcome,
  walletBalance,
} from '@keelson/platform'
import { type Address, toChecksumAddress } from '@keelson/primitives'
import { createManualClock, createSeededRandom, createSilentLogger } from '@keelson/runtime'
import { parseEther } from 'viem'
import { createPlatformWorld, PLATFORM_CHAIN_ID, PLATFORM_GENESIS_SEC, type PlatformWorld } from '../support/platform-world.ts'

const { TestDollar, TestBitcoin, PriceFeedBitcoinUsd, PriceFeedNativeUsd } = LIQUIDITY_CONTRACTS
const given = <T>(outcome: ToolOutcome<T>): T => {
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.detail)
  return outcome.value
}

describe("the agent platform's tools on the chain", () => {
  let devnet: PlatformWorld
  before(async () => {
    devnet = await createPlatformWorld()
  })
  after(() => devnet.stop())
  const oracle = (pair: string, name = 'devnet') => onChain(devnet.chains, name, (chain) => oraclePrice(chain, pair, null))
  const tools = () => createDefidata([createChainDefidata(devnet.chains)])
  const invoke = (tool_name: string, args?: Record<string, unknown>) =>
    tools().invoke({ tool_name, ...(args === undefined ? {} : { arguments: args }) })

  it('the oracle returns a price with source, round and age', async () => {
    const price = given(await oracle('ETH/USD'))
    assert.deepEqual([price.price, price.method, price.source, price.chain_id], ['2500', 'direct', 'chainlink', PLATFORM_CHAIN_ID])
    const [reading] = price.readings
    assert.deepEqual([reading?.id, reading?.round_id, reading?.description], [PriceFeedNativeUsd, '1', 'NATIVE / USD'])
    assert.equal(reading?.updated_at, new Date(PLATFORM_GENESIS_SEC * 1000).toISOString())
    assert.deepEqual([given(await oracle('USD/ETH')).price, given(await oracle('ETH/BTC')).price], ['0.0004', '0.025'])
    assert.equal(given(await oracle('testUSD/WETH')).method, 'cross')
  })

  it('the oracle names unknown and malformed pairs', async () => {
    for (const [pair, chain, reason] of [
      ['DOGE/USD', 'devnet', 'not-found'],
      ['ETH/USD', 'mainnet', 'not-found'],
      ['ETHUSD', 'devnet', 'invalid'],
      ['ETH/eth', 'devnet', 'invalid'],
      ['ETH/WETH', 'devnet', 'not-found'],
    ] as const) {
      const outcome = await oracle(pair, chain)
      assert.ok(!outcome.ok && outcome.reason === reason, pair)
    }
  })

  it('the wallet lists non-zero balances in whole units with their value', async () => {
    const { nativeWei, block } = await devnet.chains.main.balances(devnet.trader)
    assert.equal(nativeWei % 10n ** 18n, 0n)
    const whole = nativeWei / 10n ** 18n
    const balance = await walletBalance(devnet.chains.main, devnet.trader)
    assert.deepEqual(
      { ...balance, tokens: balance.tokens.map(({ symbol, balance: held, balance_usd }) => [symbol, held, balance_usd]) },
      {
        address: toChecksumAddress(devnet.trader),
        balance: `${whole}`,
        balance_usd: `${whole * 2500n}`,
        chain_id: PLATFORM_CHAIN_ID,
        block_number: block.number,
        tokens: [
          ['testUSD', '100000', '100000'],
          ['testUSD18', '100000', '100000'],
          ['testBTC', '5', '500000'],
        ],
      },
    )
  })

  it('defidata lists locked value by pool, and the total stays the sum after a swap', async () => {
    const before = given(await invoke('tvl_get')).result
    assert.ok('tvl_usd' in before && 'complete' in before)
    assert.deepEqual([before.tvl_usd, before.complete], ['37000000', true])
    assert.deepEqual(
      before.pools.map(({ symbol, tvl_usd }) => [symbol.split('-').sort().join('-'), tvl_usd]),
      [
        ['WETH-testUSD', '25000000'],
        ['WETH-testBTC', '10000000'],
        ['testUSD-testUSD18', '2000000'],
      ],
    )
    await devnet.buyDollars(parseEther('5'))
    const after = given(await invoke('tvl_get', { chain: 'devnet', protocol: 'uniswap-v2' })).result
    assert.ok('complete' in after)
    const { pools } = given(await invoke('pools_list', { limit: 1 })).result as { pools: { tvl_usd: string; symbol: string }[] }
    assert.deepEqual([pools.length, pools[0]?.symbol], [1, after.pools[0]?.symbol])
    assert.ok(Number(after.pools[0]?.tvl_usd) > 25_000_000 && Number(after.tvl_usd) === Number(after.pools[0]?.tvl_usd) + 12_000_000)
  })

  it('defidata returns prices by symbol and by address, and names what is wrong with a request', async () => {
    const price = async (symbol: string) => (given(await invoke('token_price', { symbol })).result as { price_usd: string }).price_usd
    assert.deepEqual([await price('btc'), await price(TestBitcoin), await price(TestDollar)], ['100000', '100000', '1'])
    for (const [tool, args, reason, detail] of [
      ['token_price', { symbol: 'DOGE' }, 'not-found', /DOGE/],
      ['token_price', { symbol: devnet.trader }, 'not-found', /no feed/],
      ['token_price', {}, 'invalid', /arguments\.symbol/],
      ['tvl_get', { chain: 'mainnet' }, 'not-found', /mainnet/],
      ['tvl_get', { protocol: 'aave' }, 'not-found', /aave/],
      ['pools_list', { limit: 0 }, 'invalid', /arguments\.limit/],
      ['rug_pull', {}, 'not-found', /tvl_get, token_price, pools_list/],
    ] as const) {
      const outcome = await invoke(tool, args)
      assert.ok(!outcome.ok && outcome.reason === reason && detail.test(outcome.detail), `${tool} ${JSON.stringify(outcome)}`)
    }
  })

  it('the exchange derives trades and candles from the swaps of a pool', async () => {
    const world = { clock: createManualClock(), random: createSeededRandom(2), log: createSilentLogger() }
    const feed = new PoolFeed(devnet.chains.main, world)
    const subscriptions = new MarketSubscriptions({}, { feed, ...world })
    const { streams } = given(await subscriptions.subscribe('s', { symbol: 'keeltestusd', streams: ['trade', 'kline'], interval: '1m' }))
    assert.deepEqual(streams, ['KEELTESTUSD@trade', 'KEELTESTUSD@kline_1m'])
    given(await subscriptions.subscribe('s', { symbol: 'TESTUSDWETH', streams: ['trade'] }))
    for (const [symbol, interval] of [
      ['ETHUSDT', '1m'],
      ['KEELTESTUSD', '1M'],
    ] as const) {
      assert.equal((await subscriptions.subscribe('s', { symbol, streams: ['kline'], interval })).ok, false)
    }
    const leaving = new AbortController()
    const reader = subscriptions.read('s', { signal: leaving.signal })
    assert.ok(reader !== null && reader !== 'limit')
    const events: MarketEvent[] = []
    const reading = (async () => {
      for await (const event of reader) if (events.push(event) === 3) leaving.abort()
    })()
    await feed.step()
    const quote = await devnet.chains.main.quote({
      tokenIn: devnet.config.wrappedNative as Address,
      tokenOut: TestDollar,
      amountIn: parseEther('2'),
    })
    const hash = await devnet.buyDollars(parseEther('2'))
    await feed.step()
    await feed.step()
    await reading
    const [sold, candle, bought] = events.map((event) => (event.event === 'data' ? event.data : null))
    assert.ok(sold?.kind === 'trade' && candle?.kind === 'kline' && bought?.kind === 'trade')
    const dollars = Number(quote?.amountOut) / 1e6
    assert.deepEqual([sold.side, sold.quantity, sold.transaction_hash, bought.side], ['sell', '2', hash, 'buy'])
    assert.ok(Math.abs(Number(sold.price) - dollars / 2) < 1e-6 && Math.abs(Number(bought.price) - 2 / dollars) < 1e-9)
    const minute = (sec: number) => Math.floor(sec / 60)
    const head = await devnet.chains.main.latest()
    const all = await devnet.chains.main.swaps([devnet.addresses.PairNativeDollar], { fromBlock: 0, toBlock: head.number })
    const within = all.filter(({ timestampSec }) => minute(timestampSec) === minute(head.timestampSec))
    assert.deepEqual([within.length, candle.trades, candle.volume, candle.close], [2, 2, '7', sold.price])
    subscriptions.stop()
  })

  it('without a usable feed the oracle fails, a wallet shows no value and locked value is incomplete', async () => {
    await devnet.stateFeed(PriceFeedBitcoinUsd, 0n)
    await assert.rejects(oracle('BTC/USD'), (error) => error instanceof SourceError && error.reason === 'bad-answer')
    await assert.rejects(invoke('token_price', { symbol: TestBitcoin }), SourceError)
    const { tokens, balance_usd } = await walletBalance(devnet.chains.main, devnet.trader)
    assert.equal(tokens.find(({ symbol }) => symbol === 'testBTC')?.balance_usd, null)
    assert.notEqual(balance_usd, null)
    const tvl = given(await invoke('tvl_get')).result
    assert.ok('complete' in tvl)
    assert.deepEqual([tvl.complete, tvl.pools.filter(({ tvl_usd }) => tvl_usd === null).length], [false, 1])
  })
})
