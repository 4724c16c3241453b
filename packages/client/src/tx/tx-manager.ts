/**
 * Sends the transactions of one account on one chain, L1 or L2: nonces in order, every version journaled before it leaves,
 * prices raised while a transaction waits, receipts awaited to a depth, spending bounded. What a
 * restart interrupts is taken up again. The loop only calls `step`, which tests call by hand.
 */
import { type Address, type Clock, type Crypto, type Logger, messageOf } from '@keelson/primitives'
import type { Metrics, Service } from '@keelson/runtime'
import { ClientError } from '../client-error.ts'
import type { Signer } from '../signer.ts'
import { abortable, stopped } from './abortable.ts'
import type { BlobProver, SidecarForm } from './blob-sidecar.ts'
import type { ChainAccount, TransactionReceipt } from './chain-account.ts'
import { type FeePolicy, maxCostWei, UNLIMITED_FEES } from './fees.ts'
import type { TransactionJournal } from './journal.ts'
import { judgeNonce, judgeRefusal } from './nonce-owner.ts'
import { createPendingTransaction, type PendingTransaction } from './pending-transaction.ts'
import { createPublisher, type FeeLimit } from './publisher.ts'
import { createSpending } from './spending.ts'
import type { TransactionCandidate } from './transaction-candidate.ts'

export type { TransactionCandidate }

export interface RecoveredTransaction {
  readonly label: string
  readonly nonce: bigint
  /** As `send` would have resolved. */
  readonly receipt: Promise<TransactionReceipt>
}

export interface TransactionManager extends Service {
  readonly address: Address
  readonly pendingCount: number
  /**
   * Resolves when mined `confirmations` deep, also when it reverted there. Throws ClientError:
   * `unsupported-fork`, `spending-limit`, `insufficient-funds`, `transaction-reverts`, `transaction-rejected` before anything
   * was sent; `nonce-taken` when another program is seen to have used the nonce; `stopped` when the manager or `signal`
   * ended the wait (the transaction stays journaled and may still be mined).
   */
  send(candidate: TransactionCandidate, signal?: AbortSignal): Promise<TransactionReceipt>
  /** What the journal of an earlier run still holds; the caller should await these before it sends the same again. */
  recover(): Promise<readonly RecoveredTransaction[]>
  /** Looks at every pending transaction once. False when there is none. */
  step(): Promise<boolean>
  /** Why transactions do not get on; null when they do. */
  trouble(): { readonly reason: string } | null
}

export interface TransactionManagerOptions {
  readonly chainId: bigint
  /** Blocks on top, the including one counted; 1 means mined. */
  readonly confirmations: number
  readonly pollIntervalMs: number
  /** Wait before the price is raised. */
  readonly resubmitAfterMs: number
  /** No transaction may cost more than this at worst, its value included. */
  readonly maxCostWei: bigint
  /** The operator's option that sets it, for messages. */
  readonly maxCostOption?: string
  readonly maxFee?: FeeLimit | null
  readonly maxPending?: number
  /** Default: what the chain asks for. */
  readonly policy?: FeePolicy
  /** Fees of any sixty minutes, at worst; null, the default, for no limit. */
  readonly maxSpendPerHourWei?: bigint | null
  readonly sidecarForm?: () => SidecarForm
  /** Why nothing new may be sent because the chain activated a fork that this release does not implement; null when it may. */
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
/** A node behind a load balancer may be a few blocks late: only what it says at so many heads is believed. */
const GAP_PATIENCE = 3
/** Nonces that another program may take before a transaction is given up. */
const MAX_NONCES = 3
const STOP_PATIENCE_MS = 1000

export function createTransactionManager(
  options: TransactionManagerOptions,
  dependencies: TransactionManagerDependencies,
): TransactionManager {
  const { account, signer, journal, clock, metrics } = dependencies
  const log = dependencies.log.child('tx')
  const maxPending = options.maxPending ?? DEFAULT_MAX_PENDING
  const publisher = createPublisher(
    { ...options, policy: options.policy ?? UNLIMITED_FEES, leftWei },
    {
      ...dependencies,
      log,
    },
  )
  /** In the order of nonces, without gaps. */
  const pending: PendingTransaction[] = []
  const spending = createSpending(journal, clock)
  const { chain } = account
  const prefix = chain.toLowerCase()
  const confirmed = metrics?.counter(`${prefix}_transactions_total`, `${chain} transactions settled, by outcome`, ['outcome'])
  const spentGwei = metrics?.counter(`${prefix}_fees_gwei_total`, `Fees paid for ${chain} transactions, in gwei`)
  const waiting = metrics?.gauge(`${prefix}_transactions_pending`, `${chain} transactions sent and not yet settled`)
  const heldBack = metrics?.gauge(
    `${prefix}_transactions_held_back`,
    `${chain} transactions that wait because a limit forbids a higher price`,
  )
  const bySpending = metrics?.gauge(`${prefix}_spent_last_hour_gwei`, `Fees paid for ${chain} transactions in the last hour, in gwei`)
  /** Why the last one was not sent; null when it was. */
  let refused: string | null = null
  let queued = 0
  let recovery: Promise<readonly RecoveredTransaction[]> | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const gapHeads = new Set<number>()

  function leftWei(except: bigint | null): bigint | null {
    const limitWei = options.maxSpendPerHourWei ?? null
    if (limitWei === null) return null
    const worstCases = pending.map(({ entry }) =>
      entry.nonce === except ? 0n : maxCostWei(entry.fees, entry.gasLimit, entry.blobs.length, entry.valueWei),
    )
    return limitWei - spending.lastHourWei() - worstCases.reduce((sum, cost) => sum + cost, 0n)
  }

  /** One at a time: placing and stepping both move nonces and journal. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }

  const add = (transaction: PendingTransaction) => {
    pending.push(transaction)
    waiting?.set(pending.length)
  }

  const drop = async (transaction: PendingTransaction, payment?: { atMs: number; feeWei: bigint }) => {
    pending.splice(pending.indexOf(transaction), 1)
    waiting?.set(pending.length)
    await journal.remove(transaction.entry.nonce, payment)
  }

  const nextNonce = async (atLeast: bigint): Promise<bigint> => {
    const last = pending.at(-1)
    const following = last === undefined ? 0n : last.entry.nonce + 1n
    // one whose nonce is used says nothing of where the chain is by now
    if (last !== undefined && last.judgedHead < 0 && atLeast === 0n) return following
    const asked = await Promise.all([account.nonce('latest'), account.nonce('pending')])
    return [...asked, following].reduce((most, nonce) => (nonce > most ? nonce : most), atLeast)
  }

  const place = async (candidate: TransactionCandidate): Promise<PendingTransaction> => {
    const withBlobs = (candidate.blobs ?? []).length > 0
    const draft = await publisher.draft(candidate, await account.feeQuote(withBlobs))
    let atLeast = 0n
    for (let taken = 1; ; taken++) {
      const nonce = await nextNonce(atLeast)
      const transaction = createPendingTransaction({ ...draft.entry, nonce }, draft.sidecar, clock.monotonicMs())
      add(transaction)
      const outcome = await publisher.publish(transaction).catch(async (error: unknown) => {
        // signer or disk; what a node was given before may be anywhere
        if (transaction.offered) return keep(transaction, error)
        await drop(transaction)
        throw error
      })
      if (outcome.kind === 'sent') return transaction
      // one that repeats requests (a balancer, a hosted node) may have had it accepted, even mined, before it was refused
      const used = outcome.kind === 'nonce-too-low'
      const fate = await judgeRefusal(account, transaction.entry, used, options.confirmations)
      if (fate !== 'nowhere') {
        keep(transaction, outcome.error)
        return transaction
      }
      await drop(transaction)
      if (!used || taken >= MAX_NONCES) throw outcome.error
      log.info("the nonce is another transaction's; taking the next", { nonce })
      atLeast = nonce + 1n
    }
  }

  /** As if it were sent: the steps find out what became of it. */
  const keep = (transaction: PendingTransaction, error: unknown) => {
    transaction.announce = true
    log.warn('a transaction was refused but may be on its way; the chain will say', { nonce: transaction.entry.nonce, error })
    return { kind: 'sent' } as const
  }

  const recoverOnce = async (): Promise<readonly RecoveredTransaction[]> => {
    const entries = await journal.load()
    await spending.load()
    const mined = entries.length === 0 ? 0n : await account.nonce('latest')
    const transactions: PendingTransaction[] = []
    for (const entry of entries) {
      const transaction = createPendingTransaction(entry, await publisher.sidecarFor(entry.blobs), clock.monotonicMs())
      // sent again at the first step: the pool may have forgotten it
      transaction.announce = true
      transactions.push(transaction)
    }
    // only now, so that a failure above leaves nothing half taken up
    for (const transaction of transactions) add(transaction)
    const recovered = transactions.map(({ entry, receipt }) => ({ label: entry.label, nonce: entry.nonce, receipt }))
    if (recovered.length > 0) log.info('took up transactions of the last run', { count: recovered.length, minedNonce: mined })
    return recovered
  }

  const settle = async (transaction: PendingTransaction, receipt: TransactionReceipt) => {
    const feeWei = receipt.gasUsed * receipt.effectiveGasPriceWei + receipt.blobGasUsed * receipt.blobGasPriceWei
    const payment = { atMs: clock.nowMs(), feeWei }
    await drop(transaction, payment)
    spending.add(payment)
    bySpending?.set(Number(spending.lastHourWei() / 1_000_000_000n))
    if (transaction.heldBack !== null) log.info('a transaction that was held back is settled', { nonce: transaction.entry.nonce })
    confirmed?.inc(1, { outcome: receipt.succeeded ? 'succeeded' : 'reverted' })
    spentGwei?.inc(Number(feeWei / 1_000_000_000n))
    const fields = { nonce: transaction.entry.nonce, hash: receipt.transactionHash, block: receipt.blockNumber, feeWei }
    if (receipt.succeeded) log.debug('settled', fields)
    else log.warn('mined, but reverted', fields)
    transaction.resolve(receipt)
  }

  const abandon = async (transactions: readonly PendingTransaction[], reason: string) => {
    for (const transaction of transactions) {
      const { nonce, label } = transaction.entry
      await drop(transaction)
      confirmed?.inc(1, { outcome: 'abandoned' })
      log.warn('gave up a transaction', { nonce, label, reason })
      transaction.reject(
        new ClientError('client/nonce-taken', 'temporary', `transaction ${label} with nonce ${nonce} was given up: ${reason}`, { nonce }),
      )
    }
  }

  /** Confirmed transactions of ours can vanish in a deep reorg: what follows them would wait for ever. */
  const dropBehindGap = async (minedNonce: bigint, head: number): Promise<boolean> => {
    const first = pending[0]
    // the missing ones may still be in the pool, from before the journal began
    const behind = async (at: 'pending' | number) => first !== undefined && first.entry.nonce > (await account.nonce(at))
    const gap = first !== undefined && first.entry.nonce > minedNonce && (await behind('pending')) && (await behind(head))
    if (!gap) gapHeads.clear()
    else gapHeads.add(head)
    if (gapHeads.size < GAP_PATIENCE) return gap
    gapHeads.clear()
    await abandon([...pending], `${chain} is back at nonce ${minedNonce}: it lost earlier transactions of this account`)
    return true
  }

  /** A transaction nobody here knows, of the other kind, can keep ours out of the pool for ever. */
  const cancelStranger = async (minedNonce: bigint): Promise<void> => {
    const first = pending[0]
    if (first === undefined || first.reservedSinceMs === null || first.entry.nonce < minedNonce) return
    if (clock.monotonicMs() - first.reservedSinceMs < options.resubmitAfterMs) return
    const ofBlobs = first.sidecar === null
    const cancellation = await publisher.cancellation(minedNonce, ofBlobs)
    log.warn('a transaction of unknown origin keeps ours out of the pool and is cancelled; no other program may use the account', {
      nonce: minedNonce,
      kind: ofBlobs ? 'blobs' : 'calldata',
    })
    if (first.entry.nonce === minedNonce) {
      await abandon([...pending], `nonce ${minedNonce} is held by another transaction, which is being cancelled`)
    }
    pending.unshift(cancellation)
    waiting?.set(pending.length)
    await publisher.publish(cancellation)
  }

  /** Its nonce is used and no receipt is there: it is given up only when another transaction is seen to have the nonce. */
  const judge = async (transaction: PendingTransaction, head: number): Promise<void> => {
    if (transaction.judgedHead === head) return
    transaction.judgedHead = head
    const { nonce } = transaction.entry
    const verdict = await judgeNonce(account, transaction.entry, head, options.confirmations)
    if (verdict.kind === 'another') {
      await abandon([transaction], `the nonce is that of ${verdict.hash}; no other program may use the account`)
      return
    }
    transaction.doubts = verdict.kind === 'open' ? 0 : transaction.doubts + 1
    if (verdict.kind === 'open') transaction.doubt = null
    if (verdict.kind === 'open' || transaction.doubts < GAP_PATIENCE) return
    const what = verdict.kind === 'ours' ? `the node has no receipt of ${verdict.hash}, which is in a block` : verdict.reason
    if (transaction.doubt === null) log.error('cannot tell whether a transaction was mined; it is not sent again', { nonce, reason: what })
    transaction.doubt = `nonce ${nonce} is used, and it cannot be told by which transaction: ${what}; point this program at a node that keeps older state`
  }

  const review = async (transaction: PendingTransaction, found: TransactionReceipt | null, head: number, minedNonce: bigint) => {
    const { entry } = transaction
    if (found !== null) {
      if (head - found.blockNumber + 1 >= options.confirmations) await settle(transaction, found)
      return
    }
    if (entry.nonce < minedNonce) return judge(transaction, head)
    const due = clock.monotonicMs() - transaction.sentMs >= options.resubmitAfterMs
    if (!due && !transaction.announce) return
    // only the next in line can be held up by its price
    const bump = due && entry.nonce === minedNonce
    await publisher.publish(transaction, bump ? await account.feeQuote(entry.blobs.length > 0) : null)
  }

  const stepOnce = async (): Promise<boolean> => {
    if (pending.length === 0) return false
    const head = await account.headNumber()
    const minedNonce = await account.nonce('latest')
    const all = [...pending]
    // what has a nonce still to come is in no block
    const hashes = all.flatMap(({ entry }) => (entry.nonce < minedNonce ? entry.attempts : []))
    const receipts = new Map((await account.receipts(hashes)).map((receipt, i) => [hashes[i], receipt]))
    const found = (transaction: PendingTransaction) =>
      transaction.entry.attempts.map((hash) => receipts.get(hash) ?? null).find((receipt) => receipt !== null) ?? null
    if (all.every((transaction) => found(transaction) === null) && (await dropBehindGap(minedNonce, head))) return true
    for (const transaction of all) await review(transaction, found(transaction), head, minedNonce)
    await cancelStranger(minedNonce)
    heldBack?.set(pending.filter((transaction) => transaction.heldBack !== null).length)
    return true
  }

  let loop: Promise<void> = Promise.resolve()
  const recover = () => {
    recovery ??= inTurn(recoverOnce).catch((error: unknown) => {
      recovery = undefined
      throw error
    })
    return recovery
  }
  const step = () => recover().then(() => inTurn(stepOnce))

  return {
    name: 'transaction manager',
    address: signer.address,
    get pendingCount() {
      return pending.length + queued
    },
    async send(candidate, signal) {
      await recover()
      if (pending.length + queued >= maxPending) {
        throw new ClientError(
          'client/queue-full',
          'temporary',
          `${maxPending} transactions are already waiting for ${chain}: wait for one of them first`,
        )
      }
      queued++
      const transaction = await inTurn(async () => {
        if (signal?.aborted) throw stopped('the caller gave up')
        return place(candidate)
      })
        .catch((error: unknown) => {
          refused = messageOf(error)
          throw error
        })
        .finally(() => {
          queued--
        })
      refused = null
      candidate.onPlaced?.()
      return signal === undefined ? transaction.receipt : abortable(transaction.receipt, signal)
    },
    recover,
    step,
    trouble() {
      const doubt = pending.find((transaction) => transaction.doubt !== null)?.doubt
      if (doubt != null) return { reason: doubt }
      const held = pending.find((transaction) => transaction.heldBack !== null)
      const reason = held === undefined ? refused : `the transaction with nonce ${held.entry.nonce} waits: ${held.heldBack}`
      return reason === null ? null : { reason }
    },
    async start(signal) {
      // taking up what was interrupted may need the chain and proofs of blobs: the loop does it, the process serves meanwhile
      const run = async () => {
        while (!signal.aborted) {
          await step().catch((error: unknown) => log.warn('could not look after transactions; trying again', { error }))
          await clock.sleep(options.pollIntervalMs, signal).catch(() => undefined)
        }
      }
      loop = run()
    },
    async stop() {
      // a request under way is not worth waiting for: the journal knows what it needs to know
      const patience = new AbortController()
      const late = clock.sleep(STOP_PATIENCE_MS, patience.signal).catch(() => undefined)
      await Promise.race([Promise.all([loop, turn]), late])
      patience.abort()
      for (const transaction of pending) transaction.reject(stopped('the transaction manager is stopping'))
    },
  }
}
