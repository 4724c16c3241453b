/** Checks follow the specification's order. protocol/derivation.md#batch-queue */
import { inclusionTime, type L1BlockRef, l2Time, TX_DEPOSIT, TX_POST_EXEC, TX_SET_CODE } from '@keelson/primitives'
import { maxSequencerDriftSec } from '../attributes-builder.ts'
import { type BatchTransactions, leadingBytesOf } from '../codec/batch/batch-transactions.ts'
import type { SingularBatch } from '../codec/batch/singular-batch.ts'
import type { BatchDropReason } from '../observer.ts'
import {
  ACCEPT,
  type BatchContext,
  type BatchRefusal,
  type BatchValidity,
  drop,
  FUTURE,
  nextTimestampOf,
  PAST,
  UNDECIDED,
} from './batch-validity.ts'

export function checkSingularBatch(context: BatchContext, batch: SingularBatch): BatchValidity {
  const { config, origins, parent, inclusion } = context
  const [epoch, nextEpoch] = origins
  if (epoch === undefined) return UNDECIDED
  const strict = config.forks.inclusionRules(inclusionTime(inclusion)).strictOrdering

  const nextTimestamp = nextTimestampOf(context)
  if (batch.timestampSec > nextTimestamp) return strict ? drop('batch-in-future') : FUTURE
  if (batch.timestampSec < nextTimestamp) return strict ? PAST : drop('batch-in-past')
  if (batch.parentHash !== parent.hash) return drop('batch-wrong-parent')
  if (batch.epoch.number + config.sequencingWindowL1Blocks < inclusion.number) return drop('batch-included-too-late')

  if (batch.epoch.number < epoch.number) return drop('batch-epoch-too-old')
  if (batch.epoch.number > epoch.number + 1) return drop('batch-epoch-too-new')
  const advances = batch.epoch.number === epoch.number + 1
  const origin = advances ? nextEpoch : epoch
  if (origin === undefined) return UNDECIDED
  if (batch.epoch.hash !== origin.hash) return drop('batch-wrong-epoch-hash')
  if (batch.timestampSec < origin.timestampSec) return drop('batch-before-its-origin')

  const drift = checkDrift(context, { ...batch, origin, advances, nextOrigin: nextEpoch })
  if (drift !== null) return drift
  const reason = checkTransactions(context, batch.timestampSec, batch.transactions)
  return reason === null ? ACCEPT : drop(reason)
}

export interface DriftInput {
  readonly timestampSec: number
  readonly transactions: { readonly length: number }
  readonly origin: L1BlockRef
  readonly advances: boolean
  readonly nextOrigin: L1BlockRef | undefined
}

/** Past the drift, a block must be empty and may keep its L1 origin only while the next L1 origin is too new. */
export function checkDrift(context: BatchContext, block: DriftInput): BatchRefusal | null {
  if (block.timestampSec <= block.origin.timestampSec + maxSequencerDriftSec(context.config, block.origin)) return null
  if (block.transactions.length > 0) return drop('batch-exceeds-drift')
  if (block.advances) return null
  if (block.nextOrigin === undefined) return UNDECIDED
  return block.timestampSec >= block.nextOrigin.timestampSec ? drop('batch-should-adopt-next-origin') : null
}

/**
 * Unknown types pass: the engine rejects the payload, and from Holocene a deposits-only block replaces it. The specification
 * drops such batches; op-node (batches.go, `checkSequencerTxData`) and kona drop only the types below. Which types are known
 * follows from the timestamp of each block, also within a span. specs: protocol/isthmus/derivation.md#activation, pull request 947
 */
export function checkTransactions(context: BatchContext, timestampSec: number, transactions: BatchTransactions): BatchDropReason | null {
  if (transactions.length === 0) return null
  const { forks, blockTimeSec } = context.config
  const transition = forks.transition(l2Time(timestampSec - blockTimeSec), l2Time(timestampSec))
  if (!transition.userTransactionsAllowed) return 'batch-in-activation-block-not-empty'
  const { setCodeTransactions, postExecTransactions } = forks.blockRules(l2Time(timestampSec))
  for (const type of leadingBytesOf(transactions)) {
    if (type === undefined) return 'batch-empty-transaction'
    if (type === TX_DEPOSIT) return 'batch-deposit-transaction'
    if (type === TX_POST_EXEC && !postExecTransactions) return 'batch-transaction-type-unsupported'
    if (type === TX_SET_CODE && !setCodeTransactions) return 'batch-transaction-type-unsupported'
  }
  return null
}
