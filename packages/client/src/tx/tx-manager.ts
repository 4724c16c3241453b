/** Every version is journaled before it is sent, so that a restart resumes it. */
import { type Address, type Clock, type Crypto, type Logger, messageOf } from '@keelson/primitives'
import { type Metrics, pollLoop, type Service, withDeadline } from '@keelson/runtime'
import { ClientError } from '../client-error.ts'
import type { Signer } from '../signer.ts'
import { abortable, stopped } from './abortable.ts'
import type { BlobProver, SidecarForm } from './blob-sidecar.ts'
import type { ChainAccount, TransactionReceipt } from './chain-account.ts'
import type { FeeLimit } from './cost-limits.ts'
import { Drafter } from './drafter.ts'
import { type FeePolicy, UNLIMITED_FEES } from './fees.ts'
import type { TransactionJournal } from './journal.ts'
import { judgeRefusal } from './nonce-owner.ts'
import { PendingQueue } from './pending-queue.ts'
import { createPendingTransaction, type PendingTransaction } from './pending-transaction.ts'
import { Publisher, type PublishOutcome } from './publisher.ts'
import { createSpending, type Spending } from './spending.ts'
import type { TransactionCandidate } from './transaction-candidate.ts'
import { TransactionOutcomes } from './transaction-outcomes.ts'
import { UnminableTransactions } from './unminable-transactions.ts'

export type { TransactionCandidate }

export interface RecoveredTransaction {
  readonly label: string
  readonly nonce: bigint
  readonly receipt: Promise<TransactionReceipt>
}

export interface TransactionManager extends Service {
  readonly address: Address
  readonly pendingCount: number
  /**
   * Resolves when mined `confirmations` deep, also when reverted. Throws ClientError: `unsupported-fork`, `spending-limit`,
   * `insufficient-funds`, `transaction-reverts`, `transaction-rejected` before anything was sent; `nonce-taken` when another
   * program used the nonce; `stopped` when the manager or `signal` ended the wait (the transaction may still be mined).
   */
  send(candidate: TransactionCandidate, signal?: AbortSignal): Promise<TransactionReceipt>
  /** Returns an earlier run's transactions; await them before sending the same again. */
  recover(): Promise<readonly RecoveredTransaction[]>
  /** Returns false when no transaction is pending. */
  step(): Promise<boolean>
  trouble(): { readonly reason: string } | null
}

export interface TransactionManagerOptions {
  readonly chainId: bigint
  /** 1 means that being mined is enough. */
  readonly confirmations: number
  readonly pollIntervalMs: number
  readonly resubmitAfterMs: number
  /** Limit on a transaction's worst-case cost, including its value. */
  readonly maxCostWei: bigint
  readonly maxCostOption?: string
  readonly maxFee?: FeeLimit | null
  readonly maxPending?: number
  readonly policy?: FeePolicy
  /** Limit on the worst-case fees per hour. Default: no limit. */
  readonly maxSpendPerHourWei?: bigint | null
  readonly sidecarForm?: () => SidecarForm
  /** Returns why an unimplemented fork forbids new transactions. */
  readonly unsupportedFork?: () => string | null
}

export interface TransactionManagerDependencies {
  readonly account: ChainAccount
  readonly signer: Signer
  readonly journal: TransactionJournal
  readonly kzg: BlobProver
  readonly crypto: Pick<Crypto, 'sha256'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

const DEFAULT_MAX_PENDING = 16
/** Nonces that other programs may take before `send` fails. */
const MAX_NONCES = 3
const STOP_PATIENCE_MS = 1000

export function createTransactionManager(
  options: TransactionManagerOptions,
  dependencies: TransactionManagerDependencies,
): TransactionManager {
  const { account, journal, clock, metrics } = dependencies
  const { chain } = account
  const deps = { ...dependencies, log: dependencies.log.child('tx') }
  const waiting = metrics?.gauge(`${chain.toLowerCase()}_transactions_pending`, `${chain} transactions sent and not yet settled`)
  const pending = new PendingQueue(account, journal, waiting)
  const spending = createSpending(journal, clock)
  const { maxSpendPerHourWei = null } = options
  const limits = {
    ...options,
    policy: options.policy ?? UNLIMITED_FEES,
    leftWei: (except: bigint | null) =>
      maxSpendPerHourWei === null ? null : maxSpendPerHourWei - spending.lastHourWei() - pending.maxCostWei(except),
  }
  const drafter = new Drafter(limits, deps)
  const publisher = new Publisher(limits, deps)
  const outcomes = new TransactionOutcomes(chain, { ...deps, pending, spending })
  const stuck = new UnminableTransactions(options, { ...deps, pending, outcomes, drafter, publisher })
  return new Manager(options, { ...deps, pending, spending, drafter, publisher, outcomes, stuck })
}

interface Parts extends TransactionManagerDependencies {
  readonly pending: PendingQueue
  readonly spending: Spending
  readonly drafter: Drafter
  readonly publisher: Publisher
  readonly outcomes: TransactionOutcomes
  readonly stuck: UnminableTransactions
}

class Manager implements TransactionManager {
  readonly name = 'transaction manager'
  readonly #options: TransactionManagerOptions
  readonly #parts: Parts
  readonly #maxPending: number
  readonly #heldBack
  #refused: string | null = null
  /** Error of the last look at the pending transactions. */
  #failing: string | null = null
  #queued = 0
  #recovery: Promise<readonly RecoveredTransaction[]> | null = null
  #turn: Promise<unknown> = Promise.resolve()
  #loop: Promise<void> = Promise.resolve()

  constructor(options: TransactionManagerOptions, parts: Parts) {
    const { chain } = parts.account
    this.#options = options
    this.#parts = parts
    this.#maxPending = options.maxPending ?? DEFAULT_MAX_PENDING
    this.#heldBack = parts.metrics?.gauge(
      `${chain.toLowerCase()}_transactions_held_back`,
      `${chain} transactions that wait because a limit forbids a higher price`,
    )
  }

  get address(): Address {
    return this.#parts.signer.address
  }

  get pendingCount(): number {
    return this.#parts.pending.all.length + this.#queued
  }

  async send(candidate: TransactionCandidate, signal?: AbortSignal): Promise<TransactionReceipt> {
    await this.recover()
    if (this.pendingCount >= this.#maxPending) {
      const message = `${this.#maxPending} transactions are already waiting for ${this.#parts.account.chain}: wait for one of them first`
      throw new ClientError('client/queue-full', 'temporary', message)
    }
    this.#queued++
    const transaction = await this.#inTurn(async () => {
      if (signal?.aborted) throw stopped('the caller cancelled the transaction')
      return this.#place(candidate)
    })
      .catch((error: unknown) => {
        this.#refused = messageOf(error)
        throw error
      })
      .finally(() => {
        this.#queued--
      })
    this.#refused = null
    candidate.onPlaced?.()
    return signal === undefined ? transaction.receipt : abortable(transaction.receipt, signal)
  }

  recover(): Promise<readonly RecoveredTransaction[]> {
    this.#recovery ??= this.#inTurn(() => this.#recoverOnce()).catch((error: unknown) => {
      this.#recovery = null
      throw error
    })
    return this.#recovery
  }

  async step(): Promise<boolean> {
    await this.recover()
    return this.#inTurn(() => this.#stepOnce())
  }

  trouble(): { readonly reason: string } | null {
    const { all } = this.#parts.pending
    const doubt = all.find((transaction) => transaction.doubt !== null)?.doubt
    if (doubt != null) return { reason: doubt }
    const notTaken = all.find((transaction) => transaction.notTaken?.said === true)?.notTaken
    if (notTaken != null) return { reason: notTaken.reason }
    const held = all.find((transaction) => transaction.heldBack !== null)
    const reason =
      held === undefined ? (this.#failing ?? this.#refused) : `the transaction with nonce ${held.entry.nonce} waits: ${held.heldBack}`
    return reason === null ? null : { reason }
  }

  /** Does not wait for the recovery, which may need the chain and blob proofs. */
  async start(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts
    const step = async () => {
      await this.step()
      if (this.#failing !== null) log.info('looking after transactions works again')
      this.#failing = null
    }
    const onError = (error: unknown) => {
      const reason = messageOf(error)
      if (this.#failing !== reason) log.warn('looking after transactions failed, retrying', { reason })
      this.#failing = reason
    }
    this.#loop = pollLoop(step, { clock, signal, intervalMs: this.#options.pollIntervalMs, onError })
  }

  /** Does not wait for a hanging request: the journal has all that a restart needs. */
  async stop(): Promise<void> {
    const ended = Promise.all([this.#loop, this.#turn])
    await withDeadline(ended, { clock: this.#parts.clock, ms: STOP_PATIENCE_MS, onTimeout: () => null })
    for (const transaction of this.#parts.pending.all) transaction.reject(stopped('the transaction manager is stopping'))
  }

  /** Placing and stepping both change nonces and journal. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  async #place(candidate: TransactionCandidate): Promise<PendingTransaction> {
    const { account, pending, drafter, publisher, clock, log } = this.#parts
    const withBlobs = (candidate.blobs ?? []).length > 0
    const draft = await drafter.draft(candidate, await account.feeQuote(withBlobs))
    let atLeast = 0n
    for (let taken = 1; ; taken++) {
      const nonce = await pending.nextNonce(atLeast)
      const transaction = createPendingTransaction({ ...draft.entry, nonce }, draft.sidecar, clock.monotonicMs())
      pending.add(transaction)
      const outcome = await publisher.publish(transaction).catch(async (error: unknown) => {
        // The signer or the disk failed; an earlier version may be in a pool.
        if (transaction.offered) return this.#keep(transaction, error)
        await pending.drop(transaction)
        throw error
      })
      if (outcome.kind === 'sent') return transaction
      // A node that repeats requests may have sent the transaction before the refusal.
      const used = outcome.kind === 'nonce-too-low'
      const fate = await judgeRefusal(account, transaction.entry, used, this.#options.confirmations)
      if (fate !== 'nowhere') {
        this.#keep(transaction, outcome.error)
        return transaction
      }
      await pending.drop(transaction)
      if (!used || taken >= MAX_NONCES) throw outcome.error
      log.info('another transaction has the nonce; using the next', { nonce })
      atLeast = nonce + 1n
    }
  }

  /** Later steps find out what became of the transaction. */
  #keep(transaction: PendingTransaction, error: unknown): PublishOutcome {
    transaction.announce = true
    this.#parts.log.warn('a transaction was refused but may have been sent; the chain decides', { nonce: transaction.entry.nonce, error })
    return { kind: 'sent' }
  }

  async #recoverOnce(): Promise<readonly RecoveredTransaction[]> {
    const { account, journal, spending, pending, drafter, clock, log } = this.#parts
    const entries = await journal.load()
    await spending.load()
    const mined = entries.length === 0 ? 0n : await account.nonce('latest')
    const transactions: PendingTransaction[] = []
    for (const entry of entries) {
      const transaction = createPendingTransaction(entry, await drafter.sidecarFor(entry.blobs), clock.monotonicMs())
      transaction.announce = true
      transactions.push(transaction)
    }
    // Added last, so that a failure above recovers nothing.
    for (const transaction of transactions) pending.add(transaction)
    const recovered = transactions.map(({ entry, receipt }) => ({ label: entry.label, nonce: entry.nonce, receipt }))
    if (recovered.length > 0) log.info('resumed transactions of the last run', { count: recovered.length, minedNonce: mined })
    return recovered
  }

  async #stepOnce(): Promise<boolean> {
    const { account, pending, stuck } = this.#parts
    if (pending.all.length === 0) return false
    const head = await account.headNumber()
    const minedNonce = await account.nonce('latest')
    const all = [...pending.all]
    // A transaction whose nonce is unused has no receipt.
    const hashes = all.flatMap(({ entry }) => (entry.nonce < minedNonce ? entry.attempts : []))
    const receipts = new Map((await account.receipts(hashes)).map((receipt, i) => [hashes[i], receipt]))
    const found = (transaction: PendingTransaction) =>
      transaction.entry.attempts.map((hash) => receipts.get(hash) ?? null).find((receipt) => receipt !== null) ?? null
    if (all.every((transaction) => found(transaction) === null) && (await stuck.dropBehindGap(minedNonce, head))) return true
    for (const transaction of all) {
      // When a transaction is abandoned, all with higher nonces are abandoned too, and need no review.
      if (pending.all.includes(transaction)) await this.#review(transaction, found(transaction), head, minedNonce)
    }
    await stuck.cancelStranger(minedNonce)
    this.#heldBack?.set(pending.all.filter((transaction) => transaction.heldBack !== null).length)
    return true
  }

  async #review(transaction: PendingTransaction, receipt: TransactionReceipt | null, head: number, minedNonce: bigint): Promise<void> {
    const { account, outcomes, publisher, stuck, clock } = this.#parts
    const { confirmations, resubmitAfterMs } = this.#options
    const { entry } = transaction
    if (receipt !== null && receipt.blockNumber > head) return stuck.doubtReceipt(transaction, receipt, head)
    if (receipt !== null || entry.nonce >= minedNonce) stuck.clearDoubt(transaction)
    if (receipt !== null) {
      if (head - receipt.blockNumber + 1 >= confirmations) await outcomes.settle(transaction, receipt)
      return
    }
    if (entry.nonce < minedNonce) return stuck.judge(transaction, head)
    const due = clock.monotonicMs() - transaction.sentMs >= resubmitAfterMs
    if (!due && !transaction.announce) return
    // Only the next nonce can wait because of its price.
    const bump = due && entry.nonce === minedNonce
    const outcome = await publisher.publish(transaction, bump ? await account.feeQuote(entry.blobs.length > 0) : null)
    if (outcome.kind === 'refused' && outcome.error.severity === 'critical') await stuck.refusedForGood(transaction, head, minedNonce)
  }
}
