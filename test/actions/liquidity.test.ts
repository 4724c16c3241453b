import assert from 'node:assert/strict'
import { forksAtGenesis, loadGenesis } from '@keelson/chainspec'
import { LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { type Address, createPublicClient, createWalletClient, defineChain, erc20Abi, http, maxUint256, parseAbi, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEV_ACCOUNTS, type DevAccount } from '../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { loadPrebuiltDevnet } from '../../packages/devnet/src/genesis/devnet/prebuilt-devnet.ts'
import { serveMethods } from '../support/execution-rpc-world.ts'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'

const GENESIS_TIME_SEC = 1_800_000_000
const CHAIN_ID = 84_532
const ROUTER = parseAbi([
  'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable returns (uint256[])',
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
])
const PAIR = parseAbi([
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
  'function token0() view returns (address)',
])
const FEED = parseAbi(['function latestRoundData() view returns (uint80, int256 answer, uint256, uint256 updatedAt, uint80)'])
const { UniswapV2Router02, TestDollar, TestDollar18, TestBitcoin } = LIQUIDITY_CONTRACTS
const WETH = PREDEPLOYS.WETH

/** Constant product with a fee of 0.3 %. */
function amountOut(amountIn: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  const counted = amountIn * 997n
  return (counted * reserveOut) / (reserveIn * 1000n + counted)
}

describe('the exchange of the development network', () => {
  const devnet = loadPrebuiltDevnet(GENESIS_TIME_SEC)
  const { accounts: alloc } = loadGenesis(JSON.parse(devnet.l2Json()))
  const { PairNativeDollar, PairNativeBitcoin, PairDollars } = devnet.addresses
  let world: ExecutionWorld
  let url: string
  let stopServer: () => Promise<void>
  before(async () => {
    const forks = forksAtGenesis(devnet.parameters.fork)
    world = await createExecutionWorld({ genesisTimestampSec: GENESIS_TIME_SEC, chainId: BigInt(CHAIN_ID), forks, alloc })
    const server = await serveMethods(world.node.methods)
    url = server.httpUrl
    stopServer = () => server.stop()
  })
  after(async () => {
    await stopServer()
    await world.stop()
  })

  const chain = () =>
    defineChain({
      id: CHAIN_ID,
      name: 'devnet',
      nativeCurrency: { name: 'native', symbol: 'NTV', decimals: 18 },
      rpcUrls: { default: { http: [url] } },
    })
  const reader = () => createPublicClient({ chain: chain(), cacheTime: 0, transport: http(url, { retryCount: 0 }) })
  const trader = privateKeyToAccount((DEV_ACCOUNTS[3] as DevAccount).privateKey)
  const writer = () => createWalletClient({ chain: chain(), account: trader, transport: http(url, { retryCount: 0 }) })
  const balance = (token: Address, of: Address = trader.address) =>
    reader().readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [of] })
  const deadline = () => BigInt(GENESIS_TIME_SEC + 100_000)
  async function reserves(pair: Address, tokenIn: Address): Promise<readonly [reserveIn: bigint, reserveOut: bigint]> {
    const [reserve0, reserve1] = await reader().readContract({ address: pair, abi: PAIR, functionName: 'getReserves' })
    const token0 = await reader().readContract({ address: pair, abi: PAIR, functionName: 'token0' })
    return token0.toLowerCase() === tokenIn ? [reserve0, reserve1] : [reserve1, reserve0]
  }
  async function mined(hash: `0x${string}`) {
    await world.mine()
    return reader().getTransactionReceipt({ hash })
  }
  async function approve(token: Address): Promise<void> {
    const hash = await writer().writeContract({
      address: token,
      abi: erc20Abi,
      functionName: 'approve',
      args: [UniswapV2Router02, maxUint256],
    })
    assert.equal((await mined(hash)).status, 'success')
  }

  it('pays the constant product for native value, and reverts when that is below the minimum', async () => {
    const valueWei = parseEther('3')
    const expected = amountOut(valueWei, ...(await reserves(PairNativeDollar, WETH)))
    const swap = (amountOutMin: bigint) =>
      ({
        address: UniswapV2Router02,
        abi: ROUTER,
        functionName: 'swapExactETHForTokens',
        args: [amountOutMin, [WETH, TestDollar], trader.address, deadline()],
        value: valueWei,
      }) as const
    await assert.rejects(reader().simulateContract({ ...swap(expected + 1n), account: trader }), /INSUFFICIENT_OUTPUT_AMOUNT/)
    const before = await balance(TestDollar)
    const refused = await mined(await writer().writeContract({ ...swap(expected + 1n), gas: 500_000n }))
    assert.equal(refused.status, 'reverted')
    assert.equal(await balance(TestDollar), before)
    assert.equal((await mined(await writer().writeContract(swap(expected)))).status, 'success')
    assert.equal((await balance(TestDollar)) - before, expected)
    assert.equal(before, 100_000n * 10n ** 6n)
  })

  it("pays native value for a token out of the wrapping contract's balance", async () => {
    await approve(TestBitcoin)
    const amountIn = 1_234_567n
    const expected = amountOut(amountIn, ...(await reserves(PairNativeBitcoin, TestBitcoin)))
    const [nativeBefore, wrappedBefore] = [
      await reader().getBalance({ address: trader.address }),
      await reader().getBalance({ address: WETH }),
    ]
    const receipt = await mined(
      await writer().writeContract({
        address: UniswapV2Router02,
        abi: ROUTER,
        functionName: 'swapExactTokensForETH',
        args: [amountIn, expected, [TestBitcoin, WETH], trader.address, deadline()],
      }),
    )
    assert.equal(receipt.status, 'success')
    const feesWei = receipt.gasUsed * receipt.effectiveGasPrice + BigInt((receipt as unknown as { l1Fee: string }).l1Fee)
    assert.equal((await reader().getBalance({ address: trader.address })) - nativeBefore, expected - feesWei)
    assert.equal(wrappedBefore - (await reader().getBalance({ address: WETH })), expected)
  })

  it('swaps through two pools on a path at the quoted price', async () => {
    await approve(TestDollar18)
    const amountIn = 777n * 10n ** 18n
    const dollars = amountOut(amountIn, ...(await reserves(PairDollars, TestDollar18)))
    const expected = amountOut(dollars, ...(await reserves(PairNativeDollar, TestDollar)))
    const path = [TestDollar18, TestDollar, WETH]
    const quoted = await reader().readContract({
      address: UniswapV2Router02,
      abi: ROUTER,
      functionName: 'getAmountsOut',
      args: [amountIn, path],
    })
    assert.deepEqual(quoted, [amountIn, dollars, expected])
    const args = [amountIn, expected, path, trader.address, deadline()] as const
    const before = await balance(WETH)
    const hash = await writer().writeContract({ address: UniswapV2Router02, abi: ROUTER, functionName: 'swapExactTokensForTokens', args })
    assert.equal((await mined(hash)).status, 'success')
    assert.equal((await balance(WETH)) - before, expected)
  })

  it('has feeds that stay fresh without posts and update with the chain', async () => {
    const answers = await Promise.all(
      (['PriceFeedNativeUsd', 'PriceFeedBitcoinUsd', 'PriceFeedDollarUsd'] as const).map(async (name) => {
        const [, answer, , updatedAt] = await reader().readContract({
          address: LIQUIDITY_CONTRACTS[name],
          abi: FEED,
          functionName: 'latestRoundData',
        })
        const age = Number((await reader().getBlock()).timestamp - updatedAt)
        assert.ok(age >= 0 && age < 60, `${name} is ${age} s old`)
        assert.ok(Number(updatedAt) >= GENESIS_TIME_SEC)
        return answer
      }),
    )
    assert.deepEqual(answers, [2_500n * 10n ** 8n, 100_000n * 10n ** 8n, 10n ** 8n])
    for (let blocks = 0; blocks < 31; blocks++) await world.mine()
    const [roundId] = await reader().readContract({
      address: LIQUIDITY_CONTRACTS.PriceFeedNativeUsd,
      abi: FEED,
      functionName: 'latestRoundData',
    })
    assert.equal(roundId, 2n)
  })
})
