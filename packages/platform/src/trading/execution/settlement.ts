/** Records the outcome of a signed trade only when no other outcome is possible. */
import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { AuditLog } from '../audit/audit-log.ts'
import type { PolicySource } from '../policy/policy.ts'
import type { WalletLookup } from '../ports.ts'
import type { ExecutionStore } from '../stores/executions.ts'
import type { Executor } from './executor.ts'
import { announce, maxStepCostWei, raiseStep } from './place-trade.ts'
import { receivedOut } from './plan-swap.ts'
import { advance, type ExecutionRecord, refuse, refusedRecord, type Settlement, swapStep } from './record.ts'
import type { TradeReceipt, TradingChain } from './trading-chain.ts'

export interface SettlementOptions {
  readonly resubmitAfterMs: number
  readonly maxGasCostWei: bigint
  readonly acceptedLifeMs: number
}

export interface SettlementDependencies {
  readonly executions: ExecutionStore
  readonly executor: Pick<Executor, 'isActive'>
  readonly wallets: WalletLookup
  readonly policies: PolicySource
  readonly chains: ReadonlyMap<number, TradingChain>
  readonly audit: AuditLog
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
  /** May repeat for a trade after a crash. */
  readonly onSettled?: (record: ExecutionRecord) => Promise<void>
}

/** Checks that find the nonce used but no receipt, before the trade may count as replaced. */
const LATE_RECEIPT_PATIENCE = 20
const MAX_UNFINISHED = 500

export class Settler {
  readonly #options: SettlementOptions
  readonly #deps: SettlementDependencies
  readonly #sentMs = new Map<string, number>()
  readonly #missed = new Map<string, number>()
  readonly #count: (outcome: string) => void
  #unfinished = 0

  constructor(options: SettlementOptions, deps: SettlementDependencies) {
    this.#options = options
    this.#deps = deps
    const settled = deps.metrics?.counter('trades_settled_total', 'Settled trades by outcome', ['outcome'])
    this.#count = (outcome) => settled?.inc(1, { outcome })
    deps.metrics?.gauge('trades_unfinished', 'Unfinished executions: accepted or signed', [], () => this.#unfinished)
  }

  async step(): Promise<void> {
    const { executions, chains, log } = this.#deps
    const records = await executions.unfinished(MAX_UNFINISHED)
    this.#unfinished = records.length
    for (const record of records) {
      const chain = chains.get(record.chainId)
      try {
        if (record.state === 'accepted') await this.#expire(record)
        else if (chain !== undefined) await this.#follow(record, chain)
      } catch (error) {
        log.warn('settling a trade failed; retrying', { id: record.id, error })
      }
    }
  }

  async #expire(record: ExecutionRecord): Promise<void> {
    const { executor, clock, audit, executions } = this.#deps
    if (executor.isActive(record.id) || clock.nowMs() - record.createdAtMs < this.#options.acceptedLifeMs) return
    const refusal = refuse('interrupted', 'interrupted before anything was signed; nothing was sent')
    await audit.record(record, 'refused', { code: refusal.code, detail: refusal.detail })
    await executions.save(refusedRecord(record, refusal))
  }

  async #follow(record: ExecutionRecord, chain: TradingChain): Promise<void> {
    const swap = swapStep(record)
    const head = await chain.headNumber()
    const depth = Math.max(0, head - chain.confirmations + 1)
    const [nonce, deepNonce, deepTimeSec] = await Promise.all([
      chain.nonce(record.wallet, head),
      chain.nonce(record.wallet, depth),
      chain.timestampSec(depth),
    ])
    // Read last: a used nonce should have a receipt by now.
    const hashes = record.steps.flatMap(({ attempts }) => attempts.map(({ hash }) => hash))
    const all = (await chain.receipts(hashes)).filter((receipt) => receipt !== null)
    const found = all.find(({ hash }) => swap.attempts.some((attempt) => attempt.hash === hash))
    const isUsed = deepNonce > BigInt(swap.nonce)
    if (found !== undefined || !isUsed) this.#missed.delete(record.id)
    if (found !== undefined) {
      // includes the fees of approvals
      const feeWei = all.reduce((sum, receipt) => sum + receipt.feeWei, 0n)
      if (head - found.blockNumber + 1 >= chain.confirmations) await this.#finishMined(record, { ...found, feeWei }, chain)
      return
    }
    const isLate = deepTimeSec > (record.terms?.deadlineSec ?? 0)
    if (isUsed) return this.#missReceipt(record, isLate, chain)
    // past the deadline, the router refuses the trade
    if (isLate) return this.#finish(record, 'failed', 'it was not mined before its deadline; nothing was traded', null)
    if (nonce <= BigInt(swap.nonce)) await this.#sendAgain(record, nonce, chain)
  }

  async #missReceipt(record: ExecutionRecord, isLate: boolean, chain: TradingChain): Promise<void> {
    const times = (this.#missed.get(record.id) ?? 0) + 1
    this.#missed.set(record.id, times)
    if (!isLate || times % LATE_RECEIPT_PATIENCE !== 0) return
    // a missing receipt may be pruned or not indexed
    if (!(await chain.isAnyMined(swapStep(record).attempts.map(({ hash }) => hash))))
      return this.#finish(record, 'failed', 'another transaction of the wallet took its place; nothing was traded', null)
    const text = 'trade is mined but its receipt is missing; the execution stays unfinished and blocks its wallet'
    this.#deps.log.error(text, { id: record.id })
  }

  async #finishMined(record: ExecutionRecord, receipt: TradeReceipt, { wrappedNative }: TradingChain): Promise<void> {
    const { hash: txHash, blockNumber, succeeded, feeWei, logs } = receipt
    const { wallet, terms } = record
    const receiver = terms === null ? null : { tokenOut: terms.tokenOut, wallet, router: swapStep(record).to, wrappedNative }
    const out = succeeded && receiver !== null ? receivedOut(logs, receiver) : null
    const settlement = { txHash, blockNumber, amountOut: out === null ? null : String(out), feeWei: String(feeWei) }
    const reverted = 'the swap reverted on chain: its least output or its deadline was not met; nothing was traded'
    await this.#finish(record, succeeded ? 'success' : 'failed', succeeded ? 'the swap is in the chain' : reverted, settlement)
  }

  async #finish(record: ExecutionRecord, state: 'success' | 'failed', message: string, settlement: Settlement | null): Promise<void> {
    const { audit, executions, log, onSettled } = this.#deps
    const next = advance(record, state, { message, settlement })
    const hash = settlement?.txHash ?? null
    await audit.record(record, 'settled', { state, message, hash, amountOut: settlement?.amountOut ?? null })
    if (state === 'success') await onSettled?.(next)
    if ((await executions.save(next)) !== 'saved') return
    this.#count(state)
    this.#sentMs.delete(record.id)
    this.#missed.delete(record.id)
    log.info('trade settled', { id: record.id, state, hash })
  }

  async #sendAgain(record: ExecutionRecord, nonce: bigint, chain: TradingChain): Promise<void> {
    const { policies, clock, log } = this.#deps
    // Stopping all trading or disabling this wallet also stops resending.
    if ((await policies.stopped()) !== null || (await policies.policy(record.wallet))?.enabled !== true) return
    const waiting = ({ steps }: ExecutionRecord) => steps.filter((step) => BigInt(step.nonce) >= nonce)
    const beforeMs = this.#sentMs.get(record.id)
    const nowMs = clock.nowMs()
    if (beforeMs !== undefined && nowMs - beforeMs < this.#options.resubmitAfterMs) return
    this.#sentMs.set(record.id, nowMs)
    // After a restart the trade is first resent unchanged, because the pool may have lost it.
    const raised = beforeMs === undefined ? record : await this.#raise(record, nonce, chain)
    if (raised !== null) await announce(raised, waiting(raised), chain, log)
  }

  /** Returns the record unchanged if higher fees are not allowed, or null if another process changed the record. */
  async #raise(record: ExecutionRecord, nonce: bigint, chain: TradingChain): Promise<ExecutionRecord | null> {
    const { wallets, audit, executions } = this.#deps
    const wallet = await wallets.wallet(record.userId, record.walletRef, record.chainId)
    const next = record.steps.find((step) => BigInt(step.nonce) === nonce)
    if (wallet === null || wallet.address !== record.wallet || next === undefined) return record
    const raised = await raiseStep(next, await chain.feeQuote(), { signer: wallet.signer, chainId: chain.chainId })
    const steps = record.steps.map((step) => (step === next ? raised : step))
    if (steps.reduce((sum, step) => sum + maxStepCostWei(step), 0n) > this.#options.maxGasCostWei) return record
    await audit.record(record, 'raising', { nonce: next.nonce, hash: raised.attempts.at(-1)?.hash })
    const version = advance(record, 'signed', { steps })
    return (await executions.save(version)) === 'saved' ? version : null
  }
}
