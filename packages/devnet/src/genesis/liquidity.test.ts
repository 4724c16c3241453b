import assert from 'node:assert/strict'
import { createForkSchedule, forksAtGenesis, loadGenesis } from '@keelson/chainspec'
import { decodeParameters, encodeCall, LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { type Address, createPureCrypto, l2Time } from '@keelson/primitives'
import { createTestEngine } from '../../../../test/support/test-engine.ts'
import { DEV_ACCOUNTS, DEV_ROLES } from './devnet/dev-accounts.ts'
import { loadPrebuiltDevnet } from './devnet/prebuilt-devnet.ts'
import { openGenesisSession } from './genesis-session.ts'

const TIME_SEC = 1_700_000_000
const ADMIN = DEV_ROLES.admin.address
const { UniswapV2Factory, UniswapV2Router02, TestDollar, TestDollar18, TestBitcoin } = LIQUIDITY_CONTRACTS
const FEEDS = [LIQUIDITY_CONTRACTS.PriceFeedNativeUsd, LIQUIDITY_CONTRACTS.PriceFeedBitcoinUsd, LIQUIDITY_CONTRACTS.PriceFeedDollarUsd]
const ROUND = 'uint80,int256,uint256,uint256,uint80'

describe('liquidity of the development genesis', () => {
  const devnet = loadPrebuiltDevnet(TIME_SEC)
  const accounts = loadGenesis(JSON.parse(devnet.l2Json())).accounts
  const { PairNativeDollar, PairNativeBitcoin, PairDollars } = devnet.addresses
  const rules = createForkSchedule({ times: forksAtGenesis(devnet.parameters.fork) }).blockRules(l2Time(TIME_SEC))
  const engine = createTestEngine({ crypto: createPureCrypto() })
  const session = openGenesisSession({ engine, rules, chainId: 1n, timestampSec: TIME_SEC, gasLimit: 30_000_000n, baseFeeWei: 7n })
  for (const { address, ...account } of accounts) session.place(address, account)

  const ask = async (to: Address, signature: string, args: Parameters<typeof encodeCall>[1], answer: string) =>
    decodeParameters(answer, await session.call(DEV_ROLES.batcher.address, to, encodeCall(signature, args)))
  const amountOf = async (token: Address, holder: Address) => (await ask(token, 'balanceOf(address)', [holder], 'uint256'))[0] as bigint
  const supplyOf = async (token: Address) => (await ask(token, 'totalSupply()', [], 'uint256'))[0] as bigint

  it('has a factory and a router that know each other, and the pairs that the factory made', async () => {
    assert.deepEqual(await ask(UniswapV2Router02, 'factory()', [], 'address'), [UniswapV2Factory])
    assert.deepEqual(await ask(UniswapV2Router02, 'WETH()', [], 'address'), [PREDEPLOYS.WETH])
    assert.deepEqual(await ask(UniswapV2Factory, 'feeToSetter()', [], 'address'), [ADMIN])
    assert.deepEqual(await ask(UniswapV2Factory, 'allPairsLength()', [], 'uint256'), [3n])
    for (const [pair, a, b] of [
      [PairNativeDollar, TestDollar, PREDEPLOYS.WETH],
      [PairNativeBitcoin, PREDEPLOYS.WETH, TestBitcoin],
      [PairDollars, TestDollar, TestDollar18],
    ] as const) {
      assert.deepEqual(await ask(UniswapV2Factory, 'getPair(address,address)', [a, b], 'address'), [pair])
      assert.deepEqual(await ask(UniswapV2Factory, 'getPair(address,address)', [b, a], 'address'), [pair])
    }
  })

  it('has pools whose reserves are their balances, at the prices of the feeds, owned by the admin', async () => {
    const answers: bigint[] = []
    for (const feed of FEEDS) answers.push((await ask(feed, 'latestRoundData()', [], ROUND))[1] as bigint)
    const [native, bitcoin, dollar] = answers as [bigint, bigint, bigint]
    for (const [pair, [a, decimalsA, priceA], [b, decimalsB, priceB]] of [
      [PairNativeDollar, [PREDEPLOYS.WETH, 18n, native], [TestDollar, 6n, dollar]],
      [PairNativeBitcoin, [PREDEPLOYS.WETH, 18n, native], [TestBitcoin, 8n, bitcoin]],
      [PairDollars, [TestDollar, 6n, dollar], [TestDollar18, 18n, dollar]],
    ] as const) {
      const [amountA, amountB] = [await amountOf(a, pair), await amountOf(b, pair)]
      assert.ok(amountA > 0n)
      assert.equal(amountA * priceA * 10n ** decimalsB, amountB * priceB * 10n ** decimalsA)
      const reserves = await ask(pair, 'getReserves()', [], 'uint112,uint112,uint32')
      assert.deepEqual(reserves, a < b ? [amountA, amountB, 0n] : [amountB, amountA, 0n])
      assert.equal((await amountOf(pair, ADMIN)) + 1_000n, await supplyOf(pair))
    }
  })

  it('has every token in a pool or with a developer, and all wrapped native value behind its contract', async () => {
    for (const [token, each, decimals, symbol] of [
      [TestDollar, 100_000n, 6n, 'testUSD'],
      [TestDollar18, 100_000n, 18n, 'testUSD18'],
      [TestBitcoin, 5n, 8n, 'testBTC'],
    ] as const) {
      assert.deepEqual(await ask(token, 'symbol()', [], 'string'), [symbol])
      assert.deepEqual(await ask(token, 'decimals()', [], 'uint8'), [decimals])
      const handedOut = each * 10n ** decimals
      for (const { address } of DEV_ACCOUNTS) assert.equal(await amountOf(token, address), handedOut)
      let held = 10n * handedOut
      for (const pair of [PairNativeDollar, PairNativeBitcoin, PairDollars]) held += await amountOf(token, pair)
      assert.equal(held, await supplyOf(token))
    }
    const wrapped = (await amountOf(PREDEPLOYS.WETH, PairNativeDollar)) + (await amountOf(PREDEPLOYS.WETH, PairNativeBitcoin))
    assert.equal(accounts.find(({ address }) => address === PREDEPLOYS.WETH)?.balanceWei, wrapped)
    assert.equal(await supplyOf(PREDEPLOYS.WETH), wrapped)
  })

  it('has feeds that belong to the admin and beat every minute', async () => {
    for (const feed of FEEDS) {
      assert.deepEqual(await ask(feed, 'owner()', [], 'address'), [ADMIN])
      assert.deepEqual(await ask(feed, 'heartbeatBlocks()', [], 'uint64'), [60n / BigInt(devnet.parameters.l2BlockTimeSec)])
      assert.deepEqual(await ask(feed, 'blockTimeSec()', [], 'uint64'), [BigInt(devnet.parameters.l2BlockTimeSec)])
      const time = BigInt(TIME_SEC)
      assert.deepEqual((await ask(feed, 'getRoundData(uint80)', [1n], ROUND)).slice(2), [time, time, 1n])
    }
  })
})
