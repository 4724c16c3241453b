import assert from 'node:assert/strict'
import { forksAtGenesis, loadGenesis } from '@keelson/chainspec'
import { createHttpRpcClient, createLocalSigner, type RpcClient } from '@keelson/client'
import { LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { type Address, createPureCrypto, hexToBytes } from '@keelson/primitives'
import { createSilentLogger, createSystemClock, createSystemRandom, Secret } from '@keelson/runtime'
import { DEV_ACCOUNTS, type DevAccount } from '../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { loadPrebuiltDevnet } from '../../packages/devnet/src/genesis/devnet/prebuilt-devnet.ts'
import { NATIVE_ADDRESS } from '../../packages/platform/src/market/chain/native-address.ts'
import { signSteps } from '../../packages/platform/src/trading/execution/place-trade.ts'
import { approvalCalls, receivedOut, simulatedOut, swapCall } from '../../packages/platform/src/trading/execution/plan-swap.ts'
import { createRpcTradingChain } from '../../packages/platform/src/trading/execution/rpc-trading-chain.ts'
import type { TradingChain } from '../../packages/platform/src/trading/execution/trading-chain.ts'
import { serveMethods } from '../support/execution-rpc-world.ts'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'

const GENESIS_TIME_SEC = 1_800_000_000
const CHAIN_ID = 84_532
const { UniswapV2Router02: ROUTER, TestDollar, TestBitcoin } = LIQUIDITY_CONTRACTS
const DEADLINE_SEC = GENESIS_TIME_SEC + 1_000
const TOKENS = {
  native: { address: NATIVE_ADDRESS, symbol: 'NTV', decimals: 18 },
  dollar: { address: TestDollar, symbol: 'testUSD', decimals: 6 },
  bitcoin: { address: TestBitcoin, symbol: 'testBTC', decimals: 8 },
} as const

describe("trading on the development network's exchange", () => {
  const signer = createLocalSigner(new Secret(hexToBytes((DEV_ACCOUNTS[4] as DevAccount).privateKey)), createPureCrypto())
  let world: ExecutionWorld
  let chain: TradingChain
  let rpc: RpcClient
  let stopServer: () => Promise<void>
  before(async () => {
    const devnet = loadPrebuiltDevnet(GENESIS_TIME_SEC)
    const { accounts: alloc } = loadGenesis(JSON.parse(devnet.l2Json()))
    const forks = forksAtGenesis(devnet.parameters.fork)
    world = await createExecutionWorld({ genesisTimestampSec: GENESIS_TIME_SEC, chainId: BigInt(CHAIN_ID), forks, alloc })
    const server = await serveMethods(world.node.methods)
    stopServer = () => server.stop()
    rpc = createHttpRpcClient(
      { url: server.httpUrl },
      { clock: createSystemClock(), random: createSystemRandom(), log: createSilentLogger() },
    )
    chain = createRpcTradingChain({ chainId: CHAIN_ID, wrappedNative: PREDEPLOYS.WETH, confirmations: 1, explorerUrl: null }, rpc)
  })
  after(async () => {
    rpc.close()
    await stopServer()
    await world.stop()
  })

  async function trade(from: keyof typeof TOKENS, to: keyof typeof TOKENS, amountIn: bigint, path: readonly Address[], share: bigint) {
    const [tokenIn, tokenOut] = [TOKENS[from], TOKENS[to]]
    const route = { venue: 'uniswap-v2', router: ROUTER, path, amountOut: 0n, priceImpactBps: 0, swapFeeBps: 30 }
    const swap = { chainId: CHAIN_ID, tokenIn, tokenOut, amountIn, slippageBps: 50, priceIn: null, priceOut: null }
    const terms = { route, wallet: signer.address, deadlineSec: DEADLINE_SEC, wrappedNative: PREDEPLOYS.WETH }
    const native = tokenIn.address === NATIVE_ADDRESS
    const allowance = native ? 0n : await chain.allowance(tokenIn.address, signer.address, ROUTER)
    const approvals = approvalCalls(tokenIn.address, ROUTER, allowance, amountIn)
    const plan = (minimumOut: bigint) => [...approvals, swapCall(swap, { ...terms, minimumOut })]
    const simulated = await chain.simulate(signer.address, plan(1n))
    assert.deepEqual(
      simulated.map(({ reason }) => reason),
      simulated.map(() => null),
    )
    const out = simulatedOut(simulated.at(-1)?.output ?? '0x')
    const tooMuch = await chain.simulate(signer.address, plan(out + 1n))
    assert.match(tooMuch.at(-1)?.reason ?? '', /INSUFFICIENT_OUTPUT_AMOUNT/)
    const calls = plan((out * share) / 100n).map((call) => ({ ...call, purpose: 'swap' as const, gasLimit: 300_000n }))
    const nonce = await chain.nonce(signer.address, await chain.headNumber())
    const fees = { maxFeePerGasWei: 10n ** 10n, maxPriorityFeePerGasWei: 1n, maxFeePerBlobGasWei: null }
    const steps = await signSteps(calls, nonce, fees, { signer, chainId: CHAIN_ID })
    for (const { attempts } of steps) await chain.sendRaw(attempts[0]?.raw ?? '0x')
    await world.mine()
    const receipts = await chain.receipts(steps.map(({ attempts }) => attempts[0]?.hash as never))
    const receipt = receipts.at(-1)
    const receiver = { tokenOut: tokenOut.address, wallet: signer.address, router: ROUTER, wrappedNative: PREDEPLOYS.WETH }
    return { out, receipt, received: receivedOut(receipt?.logs ?? [], receiver), approvals: approvals.length }
  }

  for (const [from, to, amount, path] of [
    ['native', 'dollar', 10n ** 18n, [PREDEPLOYS.WETH, TestDollar]],
    ['dollar', 'native', 100n * 10n ** 6n, [TestDollar, PREDEPLOYS.WETH]],
    ['bitcoin', 'dollar', 10n ** 6n, [TestBitcoin, PREDEPLOYS.WETH, TestDollar]],
  ] as const) {
    it(`pays the simulated amount for ${from} to ${to}, and leaves no allowance`, async () => {
      const { out, receipt, received } = await trade(from, to, amount, path, 100n)
      assert.equal(receipt?.succeeded, true)
      assert.equal(received, out)
      assert.ok((receipt?.feeWei ?? 0n) > 0n)
      if (from !== 'native') assert.equal(await chain.allowance(TOKENS[from].address, signer.address, ROUTER), 0n)
    })
  }

  it('reverts when the output would be below the minimum, and the next trade corrects the remaining allowance', async () => {
    const { receipt, received } = await trade('dollar', 'native', 50n * 10n ** 6n, [TestDollar, PREDEPLOYS.WETH], 101n)
    assert.equal(receipt?.succeeded, false)
    assert.equal(received, null)
    assert.equal(await chain.allowance(TestDollar, signer.address, ROUTER), 50n * 10n ** 6n)
    const next = await trade('dollar', 'native', 60n * 10n ** 6n, [TestDollar, PREDEPLOYS.WETH], 100n)
    assert.deepEqual([next.receipt?.succeeded, next.approvals], [true, 2])
    assert.equal(await chain.allowance(TestDollar, signer.address, ROUTER), 0n)
  })

  it('reports a transaction that is in no block as not included', async () => {
    assert.deepEqual(await chain.receipts([`0x${'12'.repeat(32)}` as never]), [null])
    assert.equal(await chain.timestampSec(0), GENESIS_TIME_SEC)
    assert.ok((await chain.balanceWei(signer.address)) > 0n)
    assert.ok((await chain.tokenBalance(TestBitcoin, signer.address)) > 0n)
  })
})
