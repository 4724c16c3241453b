/**
 * Follows signed trades until the chain decides, and expires accepted ones that were never signed. A transaction is sent
 * again under its own nonce. An outcome is written only when no other is possible.
 */
import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics, Service } from '@keelson/runtime'
import type { AuditLog } from '../audit/audit-log.ts'
import type { PolicySource } from '../policy/policy.ts'
import type { WalletLookup } from '../ports.ts'
import type { ExecutionStore } from '../stores/executions.ts'
import type { Executor } from './executor.ts'
import { announce, maxStepCostWei, raiseStep } from './place-trade.ts'
import { receivedOut } from './plan-swap.ts'
import { type ExecutionRecord, type Settlement, swapStep } from './record.ts'
import type { TradeReceipt, TradingChain } from './trading-chain.ts'

export interface SettlementOptions {
  /** Wait before a transaction is sent again at a higher price. */
  readonly resubmitAfterMs: number
  readonly maxGasCostWei: bigint
  /** Age at which an accepted request without a worker expires. */
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
  /** Called with each mined trade before it is stored as finished; after a crash, possibly again. */
  readonly onSettled?: (record: ExecutionRecord) => Promise<void>
}

export interface Settler {
  /** Checks every unfinished execution once; returns false when there is none. Chains that fail are retried at the next step. */
  step(): Promise<boolean>
}

/** Checks in a row that must find the nonce used and no receipt before another transaction is taken to have replaced the trade. */
const LATE_RECEIPT_PATIENCE = 20
const MAX_UNFINISHED = 500

export function createSettler(options: SettlementOptions, deps: SettlementDependencies): Settler {
  const { executions, chains, audit, clock, log } = deps
  /** State of this process: time of the last send, and missed receipts, per execution. */
  const sentMs = new Map<string, number>()
  const missed = new Map<string, number>()
  const settled = deps.metrics?.counter('trades_settled_total', 'Settled trades by outcome', ['outcome'])
  let unfinished = 0
  deps.metrics?.gauge('trades_unfinished', 'Unfinished executions: accepted or signed', [], () => unfinished)

  const tell = (record: ExecutionRecord, event: string, data: Parameters<AuditLog['record']>[0]['data']) =>
    audit.record({ executionId: record.id, userId: record.userId, event, data })

  async function finish(
    record: ExecutionRecord,
    state: 'success' | 'failed',
    message: string,
    settlement: Settlement | null,
  ): Promise<void> {
    const next: ExecutionRecord = { ...record, version: record.version + 1, state, message, settlement }
    await tell(record, 'settled', { state, message, hash: settlement?.txHash ?? null, amountOut: settlement?.amountOut ?? null })
    if (state === 'success') await deps.onSettled?.(next)
    if ((await executions.save(next)) !== 'saved') return
    settled?.inc(1, { outcome: state })
    sentMs.delete(record.id)
    missed.delete(record.id)
    log.info('trade settled', { id: record.id, state, hash: settlement?.txHash ?? null })
  }

  async function finishMined(record: ExecutionRecord, receipt: TradeReceipt, { wrappedNative }: TradingChain): Promise<void> {
    const { hash, blockNumber, succeeded, feeWei, logs } = receipt
    const { wallet, terms } = record
    const receiver = terms === null ? null : { tokenOut: terms.tokenOut, wallet, router: swapStep(record).to, wrappedNative }
    const amountOut = succeeded && receiver !== null ? receivedOut(logs, receiver) : null
    const settlement = { txHash: hash, blockNumber, amountOut: amountOut === null ? null : String(amountOut), feeWei: String(feeWei) }
    if (succeeded) await finish(record, 'success', 'the swap is in the chain', settlement)
    else
      await finish(
        record,
        'failed',
        'the swap reverted on chain: its least output or its deadline was not met; nothing was traded',
        settlement,
      )
  }

  async function giveUp(record: ExecutionRecord): Promise<void> {
    if (deps.executor.isActive(record.id) || clock.nowMs() - record.createdAtMs < options.acceptedLifeMs) return
    const detail = 'interrupted before anything was signed; nothing was sent'
    const refusal = { code: 'interrupted' as const, detail, field: null, rule: null, report: null }
    await tell(record, 'refused', { code: refusal.code, detail })
    await executions.save({ ...record, version: record.version + 1, state: 'refused', refusal, reservedUsd: null, message: detail })
  }

  async function follow(record: ExecutionRecord, chain: TradingChain): Promise<void> {
    const swap = swapStep(record)
    const head = await chain.headNumber()
    const depth = Math.max(0, head - chain.confirmations + 1)
    const [nonce, deepNonce, deepTimeSec] = await Promise.all([
      chain.nonce(record.wallet, head),
      chain.nonce(record.wallet, depth),
      chain.timestampSec(depth),
    ])
    // read receipts last: a nonce that is used should have one by now
    const all = (await chain.receipts(record.steps.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)))).filter(
      (receipt) => receipt !== null,
    )
    const found = all.find(({ hash }) => swap.attempts.some((attempt) => attempt.hash === hash))
    if (found !== undefined) {
      missed.delete(record.id)
      if (head - found.blockNumber + 1 >= chain.confirmations) {
        // the fees of allowances count too
        const feeWei = all.reduce((sum, receipt) => sum + receipt.feeWei, 0n)
        await finishMined(record, { ...found, feeWei }, chain)
      }
      return
    }
    const isLate = deepTimeSec > (record.terms?.deadlineSec ?? 0)
    if (deepNonce > BigInt(swap.nonce)) {
      const times = (missed.get(record.id) ?? 0) + 1
      missed.set(record.id, times)
      if (!isLate || times % LATE_RECEIPT_PATIENCE !== 0) return
      // a missing receipt may be pruned or not indexed, so it does not prove a replacement
      if (await chain.isAnyMined(swap.attempts.map(({ hash }) => hash)))
        log.error('trade is mined but its receipt is missing; the execution stays unfinished and blocks its wallet', { id: record.id })
      else await finish(record, 'failed', 'another transaction of the wallet took its place; nothing was traded', null)
      return
    }
    missed.delete(record.id)
    // not mined before the deadline, after which the router refuses it
    if (isLate) return finish(record, 'failed', 'it was not mined before its deadline; nothing was traded', null)
    if (nonce <= BigInt(swap.nonce)) await sendAgain(record, nonce, chain)
  }

  async function sendAgain(record: ExecutionRecord, nonce: bigint, chain: TradingChain): Promise<void> {
    // a stop of all trading or of this wallet also stops resending; transactions in a pool may still be mined
    if ((await deps.policies.stopped()) !== null || (await deps.policies.policy(record.wallet))?.enabled !== true) return
    const beforeMs = sentMs.get(record.id)
    sentMs.set(record.id, beforeMs ?? clock.nowMs())
    const waiting = record.steps.filter((step) => BigInt(step.nonce) >= nonce)
    // after a restart send it once unchanged, because the pool may have lost it
    if (beforeMs === undefined) return announce(record, waiting, chain, log)
    if (clock.nowMs() - beforeMs < options.resubmitAfterMs) return
    sentMs.set(record.id, clock.nowMs())
    const raised = await raise(record, nonce, chain)
    if (raised !== null)
      await announce(
        raised,
        raised.steps.filter((step) => BigInt(step.nonce) >= nonce),
        chain,
        log,
      )
  }

  /**
   * Stores the next step with higher fees. Returns the record unchanged where that is not allowed, and null when another
   * process changed it.
   */
  async function raise(record: ExecutionRecord, nonce: bigint, chain: TradingChain): Promise<ExecutionRecord | null> {
    const wallet = await deps.wallets.wallet(record.userId, record.walletRef, record.chainId)
    const next = record.steps.find((step) => BigInt(step.nonce) === nonce)
    if (wallet === null || wallet.address !== record.wallet || next === undefined) return record
    const raised = await raiseStep(next, await chain.feeQuote(), { signer: wallet.signer, chainId: chain.chainId })
    const steps = record.steps.map((step) => (step === next ? raised : step))
    if (steps.reduce((sum, step) => sum + maxStepCostWei(step), 0n) > options.maxGasCostWei) return record
    await tell(record, 'raising', { nonce: next.nonce, hash: raised.attempts.at(-1)?.hash })
    const version = { ...record, version: record.version + 1, steps }
    return (await executions.save(version)) === 'saved' ? version : null
  }

  return {
    async step() {
      const records = await executions.unfinished(MAX_UNFINISHED)
      unfinished = records.length
      for (const record of records) {
        const chain = chains.get(record.chainId)
        try {
          if (record.state === 'accepted') await giveUp(record)
          else if (chain !== undefined) await follow(record, chain)
        } catch (error) {
          log.warn('settling a trade failed; retrying', { id: record.id, error })
        }
      }
      return records.length > 0
    },
  }
}

/** Runs the settler from the start on, so that trades of an earlier process are settled too. */
export function createSettlementService(
  settler: Settler,
  deps: { readonly clock: Clock; readonly log: Logger; readonly pollMs: number },
): Service {
  const { clock, log, pollMs } = deps
  const stopping = new AbortController()
  let loop: Promise<void> = Promise.resolve()
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await settler.step()
      } catch (error) {
        log.warn('settling trades failed; retrying', { error })
      }
      await clock.sleep(pollMs, stopping.signal).catch(() => undefined)
    }
  }
  return {
    name: 'trade settlement',
    async start() {
      loop = run()
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}
