import { ClientError } from '@keelson/client'
import { decodeParameters, encodeParameters, eventTopic, functionSelector } from '@keelson/contracts'
import {
  type Address,
  bytesToHex,
  createPureCrypto,
  decodeSignedTransaction,
  type Hash,
  type Hex,
  hexToBytes,
  maxFeePerGasWei,
  recoverSender,
  type SignedTransaction,
  toAddress,
  bigintToBytes as toBytes,
} from '@keelson/primitives'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { CHAIN, type FakeMarket, ROUTER, WRAPPED } from '../market.test-support.ts'
import type { PlannedCall, SimulatedCall, TradeLog, TradeReceipt, TradingChain } from './trading-chain.ts'

const GAS = 100_000n
const BLOCK_TIME_SEC = 2
const crypto = createPureCrypto()
const selectorOf = (signature: string) => bytesToHex(functionSelector(signature))
const APPROVE = selectorOf('approve(address,uint256)')
const SWAPS = new Map([
  [selectorOf('swapExactETHForTokens(uint256,address[],address,uint256)'), { fromNative: true, toNative: false }],
  [selectorOf('swapExactTokensForETH(uint256,uint256,address[],address,uint256)'), { fromNative: false, toNative: true }],
  [selectorOf('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)'), { fromNative: false, toNative: false }],
])
const TRANSFER = eventTopic('Transfer(address,address,uint256)')
const WITHDRAWAL = eventTopic('Withdrawal(address,uint256)')
const topicOf = (account: Address) => `0x${account.slice(2).padStart(64, '0')}` as Hash

export interface FakeTrade {
  readonly wallet: Address
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly minimumOut: bigint
}

export interface FakeApproval {
  readonly wallet: Address
  readonly token: Address
  readonly spender: Address
  readonly amount: bigint
}

export interface FakeTradingChain extends TradingChain {
  readonly trades: FakeTrade[]
  readonly approvals: FakeApproval[]
  readonly pool: Map<string, SignedTransaction>
  baseFeeWei: bigint
  onSend: (tx: SignedTransaction) => void
  dataFeeOfCallWei: bigint
  logsBefore: readonly TradeLog[]
  receiptsLag: boolean
  balance(token: Address, of: Address): bigint
  setBalance(token: Address, of: Address, units: bigint): void
  setAllowance(token: Address, owner: Address, units: bigint): void
  mine(count?: number): void
}

interface State {
  readonly balances: Map<string, bigint>
  readonly allowances: Map<string, bigint>
}

interface Effect {
  readonly output: Hex
  readonly trade?: FakeTrade
  readonly approval?: FakeApproval
}

export function createFakeTradingChain(market: FakeMarket, startSec: number, confirmations = 2): FakeTradingChain {
  const state: State = { balances: new Map(), allowances: new Map() }
  const pool = new Map<string, SignedTransaction>()
  const blocks: (readonly TradeReceipt[])[] = [[]]
  const nonces: Map<Address, bigint>[] = [new Map()]
  const nonceOf = (account: Address, block: number) => nonces[Math.min(block, nonces.length - 1)]?.get(account) ?? 0n
  const timeSec = (block: number) => startSec + block * BLOCK_TIME_SEC
  const key = (token: Address, of: Address) => `${token} ${of}`
  const unwrap = (token: Address) => (token === WRAPPED ? NATIVE_ADDRESS : token)

  function apply(on: State, from: Address, call: PlannedCall, nowSec: number): Effect {
    const selector = call.data.slice(0, 10) as Hex
    const args = hexToBytes(call.data).subarray(4)
    const move = (token: Address, units: bigint) => {
      const left = (on.balances.get(key(token, from)) ?? 0n) + units
      if (left < 0n) throw new Error(`${token} is short`)
      on.balances.set(key(token, from), left)
    }
    if (selector === APPROVE) {
      const [spender, amount] = decodeParameters('address,uint256', args) as [Address, bigint]
      const approval = { wallet: from, token: call.to, spender, amount }
      if (amount !== 0n && (on.allowances.get(key(call.to, from)) ?? 0n) !== 0n) throw new Error('approve from one amount to another')
      on.allowances.set(key(call.to, from), amount)
      return { output: bytesToHex(toBytes(1n, 32)), approval }
    }
    const kind = SWAPS.get(selector)
    if (kind === undefined || call.to !== ROUTER) throw new Error('no such function')
    const types = `${kind.fromNative ? '' : 'uint256,'}uint256,address[],address,uint256`
    const values = [...(kind.fromNative ? [call.valueWei] : []), ...decodeParameters(types, args)]
    const [amountIn, minimumOut, path, to, deadline] = values as [bigint, bigint, Address[], Address, bigint]
    const tokenIn = kind.fromNative ? NATIVE_ADDRESS : (path[0] as Address)
    const tokenOut = kind.toNative ? NATIVE_ADDRESS : (path.at(-1) as Address)
    if (deadline < BigInt(nowSec)) throw new Error('UniswapV2Router: EXPIRED')
    if (to !== from) throw new Error('somebody else would receive it')
    if (!kind.fromNative) {
      const allowed = (on.allowances.get(key(tokenIn, from)) ?? 0n) - amountIn
      if (allowed < 0n) throw new Error('TransferHelper: TRANSFER_FROM_FAILED')
      on.allowances.set(key(tokenIn, from), allowed)
    }
    const amountOut = market.offer(unwrap(path[0] as Address), unwrap(path.at(-1) as Address), amountIn)
    if (amountOut < minimumOut) throw new Error('UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT')
    move(tokenIn, -amountIn)
    move(tokenOut, amountOut)
    const output = bytesToHex(encodeParameters('uint256[]', [[amountIn, amountOut]]))
    return { output, trade: { wallet: from, tokenIn, tokenOut, amountIn, amountOut, minimumOut } }
  }

  function attempt(on: State, from: Address, call: PlannedCall, nowSec: number): Effect {
    const copy = { balances: new Map(on.balances), allowances: new Map(on.allowances) }
    const effect = apply(copy, from, call, nowSec)
    for (const [name, units] of copy.balances) on.balances.set(name, units)
    for (const [name, units] of copy.allowances) on.allowances.set(name, units)
    return effect
  }

  function execute(tx: SignedTransaction, from: Address, blockNumber: number): TradeReceipt {
    const feeWei = GAS * chain.baseFeeWei
    state.balances.set(key(NATIVE_ADDRESS, from), (state.balances.get(key(NATIVE_ADDRESS, from)) ?? 0n) - feeWei)
    const receipt = { hash: tx.hash, blockNumber, feeWei, logs: [] }
    try {
      const call = { to: toAddress(tx.to as Uint8Array), data: bytesToHex(tx.data), valueWei: tx.valueWei }
      const { trade, approval } = attempt(state, from, call, timeSec(blockNumber))
      if (approval !== undefined) chain.approvals.push(approval)
      if (trade === undefined) return { ...receipt, succeeded: true }
      chain.trades.push(trade)
      return { ...receipt, succeeded: true, logs: [...chain.logsBefore, logOf(trade)] }
    } catch {
      return { ...receipt, succeeded: false }
    }
  }

  const logOf = ({ wallet, tokenOut, amountOut }: FakeTrade): TradeLog => {
    const data = bytesToHex(toBytes(amountOut, 32))
    if (tokenOut === NATIVE_ADDRESS) return { address: WRAPPED, topics: [WITHDRAWAL, topicOf(ROUTER)], data }
    return { address: tokenOut, topics: [TRANSFER, topicOf(ROUTER), topicOf(wallet)], data }
  }
  const senderOf = (tx: SignedTransaction) => toAddress(recoverSender(tx, crypto) as Uint8Array)
  const slot = (from: Address, nonce: bigint) => `${from} ${nonce}`

  const chain: FakeTradingChain = {
    chainId: CHAIN,
    wrappedNative: WRAPPED,
    confirmations,
    explorerUrl: 'https://explorer.example/',
    trades: [],
    approvals: [],
    pool,
    baseFeeWei: 1_000n,
    onSend: () => undefined,
    receiptsLag: false,
    logsBefore: [],
    dataFeeOfCallWei: 0n,
    balance: (token, of) => state.balances.get(key(token, of)) ?? 0n,
    setBalance: (token, of, units) => void state.balances.set(key(token, of), units),
    setAllowance: (token, owner, units) => void state.allowances.set(key(token, owner), units),
    mine(count = 1) {
      for (let i = 0; i < count; i++) {
        const number = blocks.length
        const used = new Map(nonces.at(-1))
        const mined: TradeReceipt[] = []
        for (;;) {
          const ready = [...pool.values()].find(
            (tx) => tx.nonce === (used.get(senderOf(tx)) ?? 0n) && maxFeePerGasWei(tx) >= chain.baseFeeWei,
          )
          if (ready === undefined) break
          const from = senderOf(ready)
          pool.delete(slot(from, ready.nonce))
          used.set(from, ready.nonce + 1n)
          mined.push(execute(ready, from, number))
        }
        blocks.push(mined)
        nonces.push(used)
      }
    },
    headNumber: async () => blocks.length - 1,
    timestampSec: async (block) => timeSec(block),
    nonce: async (account, block) => nonceOf(account, block),
    balanceWei: async (account) => chain.balance(NATIVE_ADDRESS, account),
    tokenBalance: async (token, account) => chain.balance(token, account),
    allowance: async (token, owner) => state.allowances.get(key(token, owner)) ?? 0n,
    dataFeeWei: async (calls) => chain.dataFeeOfCallWei * BigInt(calls.length),
    feeQuote: async () => ({ baseFeeWei: chain.baseFeeWei, tipWei: 100n, blobBaseFeeWei: null }),
    async simulate(from, calls) {
      const copy = { balances: new Map(state.balances), allowances: new Map(state.allowances) }
      return calls.map((call): SimulatedCall => {
        try {
          const { output } = attempt(copy, from, call, timeSec(blocks.length))
          return { ok: true, output, gasUsed: GAS, reason: null }
        } catch (error) {
          return { ok: false, output: '0x', gasUsed: GAS, reason: (error as Error).message }
        }
      })
    },
    async sendRaw(raw) {
      const tx = decodeSignedTransaction(hexToBytes(raw))
      chain.onSend(tx)
      const from = senderOf(tx)
      const refuse = (text: string) => new ClientError('client/rpc', 'critical', text)
      if (tx.nonce < nonceOf(from, blocks.length)) throw refuse('nonce too low')
      const before = pool.get(slot(from, tx.nonce))
      if (before?.hash === tx.hash) throw refuse('already known')
      if (before !== undefined && maxFeePerGasWei(tx) * 100n < maxFeePerGasWei(before) * 110n)
        throw refuse('replacement transaction underpriced')
      pool.set(slot(from, tx.nonce), tx)
    },
    isAnyMined: async (hashes) => blocks.flat().some(({ hash }) => hashes.includes(hash)),
    async receipts(hashes: readonly Hash[]) {
      const all = chain.receiptsLag ? [] : blocks.flat()
      return hashes.map((hash) => all.find((receipt) => receipt.hash === hash) ?? null)
    },
  }
  return chain
}
