import type { Clock, Logger } from '@keelson/primitives'
import type { ChainAccount, TransactionReceipt } from './chain-account.ts'
import type { Drafter } from './drafter.ts'
import { judgeNonce, judgeRefusal } from './nonce-owner.ts'
import type { PendingQueue } from './pending-queue.ts'
import type { PendingTransaction } from './pending-transaction.ts'
import type { Publisher } from './publisher.ts'
import type { TransactionOutcomes } from './transaction-outcomes.ts'

/** Heads at which a gap must be seen, because a node may lag. */
const GAP_PATIENCE = 3

export interface UnminableTransactionsDependencies {
  readonly account: ChainAccount
  readonly pending: PendingQueue
  readonly outcomes: TransactionOutcomes
  readonly drafter: Drafter
  readonly publisher: Publisher
  readonly clock: Clock
  readonly log: Logger
}

export class UnminableTransactions {
  readonly #options: { readonly confirmations: number; readonly resubmitAfterMs: number }
  readonly #deps: UnminableTransactionsDependencies
  readonly #gapHeads = new Set<number>()
  /** Nonce whose cancellation a limit forbids, once that was said. */
  #notCancelled: bigint | null = null

  constructor(options: { readonly confirmations: number; readonly resubmitAfterMs: number }, deps: UnminableTransactionsDependencies) {
    this.#options = options
    this.#deps = deps
  }

  /** A deep reorg can remove confirmed transactions; those behind them would wait for ever. */
  async dropBehindGap(minedNonce: bigint, head: number): Promise<boolean> {
    const { account, pending, outcomes } = this.#deps
    const { first } = pending
    // The missing transactions may still be in the pool, sent before the journal began.
    const isBehind = async (at: 'pending' | number) => first !== undefined && first.entry.nonce > (await account.nonce(at))
    const gap = first !== undefined && first.entry.nonce > minedNonce && (await isBehind('pending')) && (await isBehind(head))
    if (!gap) this.#gapHeads.clear()
    else this.#gapHeads.add(head)
    if (this.#gapHeads.size < GAP_PATIENCE) return gap
    this.#gapHeads.clear()
    await outcomes.abandon(
      [...pending.all],
      `${account.chain} is back at nonce ${minedNonce}: it lost earlier transactions of this account`,
    )
    return true
  }

  /** An unknown transaction of the other kind (blobs or not) keeps ours out of the pool. */
  async cancelStranger(minedNonce: bigint): Promise<void> {
    const { pending, outcomes, drafter, publisher, clock, log } = this.#deps
    const { first } = pending
    if (first === undefined || first.reservedSinceMs === null || first.entry.nonce < minedNonce) return
    if (clock.monotonicMs() - first.reservedSinceMs < this.#options.resubmitAfterMs) return
    const withBlobs = first.sidecar === null
    const cancellation = await drafter.cancellation(minedNonce, withBlobs)
    if (typeof cancellation === 'string') {
      const reason = `a transaction of unknown origin keeps it out of the pool and cannot be cancelled: ${cancellation}`
      if (this.#notCancelled !== minedNonce)
        log.warn('a transaction waits and its obstacle may not be cancelled', { nonce: minedNonce, reason })
      this.#notCancelled = minedNonce
      first.heldBack = reason
      return
    }
    log.warn('a transaction of unknown origin keeps ours out of the pool and is cancelled; no other program may use the account', {
      nonce: minedNonce,
      kind: withBlobs ? 'blobs' : 'calldata',
    })
    if (first.entry.nonce === minedNonce) {
      await outcomes.abandon([...pending.all], `nonce ${minedNonce} is held by another transaction, which is being cancelled`)
    }
    pending.addFirst(cancellation)
    await publisher.publish(cancellation)
  }

  /**
   * A transaction that was in a pool, was lost from it, and does not satisfy its rules any more would wait for ever, and with it those
   * behind it. A new one takes its nonce, so that at most one of them is mined.
   */
  async refusedForGood(transaction: PendingTransaction, head: number, minedNonce: bigint): Promise<void> {
    const { account, pending, outcomes } = this.#deps
    const { entry, refusedHeads, notTaken } = transaction
    if (transaction !== pending.first || entry.nonce !== minedNonce) return
    if ((await judgeRefusal(account, entry, false, this.#options.confirmations)) !== 'nowhere') return
    refusedHeads.add(head)
    if (refusedHeads.size < GAP_PATIENCE) return
    await outcomes.abandon([...pending.all], notTaken?.reason ?? `${account.chain} refuses the transaction with nonce ${entry.nonce}`)
  }

  /** A lagging node tells the truth soon. */
  doubtReceipt(transaction: PendingTransaction, { blockNumber, transactionHash }: TransactionReceipt, head: number): void {
    const { account, log } = this.#deps
    const { nonce } = transaction.entry
    if (transaction.judgedHead === head) return
    transaction.judgedHead = head
    transaction.doubts++
    if (transaction.doubts < GAP_PATIENCE || transaction.doubt !== null) return
    const reason = `the node has the receipt of ${transactionHash} in block ${blockNumber}, beyond its head ${head}`
    log.error('cannot tell whether a transaction was mined; it is not sent again', { nonce, reason })
    transaction.doubt = `nonce ${nonce} of ${account.chain} may be used: ${reason}; use another node`
  }

  clearDoubt(transaction: PendingTransaction): void {
    if (transaction.doubt !== null)
      this.#deps.log.info('the node tells again what became of a transaction', { nonce: transaction.entry.nonce })
    transaction.doubt = null
    transaction.doubts = 0
  }

  /** Abandons a transaction only once the chain shows another transaction with its nonce. */
  async judge(transaction: PendingTransaction, head: number): Promise<void> {
    const { account, outcomes, log } = this.#deps
    if (transaction.judgedHead === head) return
    transaction.judgedHead = head
    const { nonce } = transaction.entry
    const verdict = await judgeNonce(account, transaction.entry, head, this.#options.confirmations)
    if (verdict.kind === 'another') {
      await outcomes.abandon([transaction], `transaction ${verdict.hash} has the nonce; no other program may use the account`)
      return
    }
    transaction.doubts = verdict.kind === 'open' ? 0 : transaction.doubts + 1
    if (verdict.kind === 'open') transaction.doubt = null
    if (verdict.kind === 'open' || transaction.doubts < GAP_PATIENCE) return
    const what = verdict.kind === 'ours' ? `the node has no receipt of ${verdict.hash}, which is in a block` : verdict.reason
    if (transaction.doubt === null) log.error('cannot tell whether a transaction was mined; it is not sent again', { nonce, reason: what })
    transaction.doubt = `nonce ${nonce} is used by an unknown transaction: ${what}; use a node that keeps older state`
  }
}
