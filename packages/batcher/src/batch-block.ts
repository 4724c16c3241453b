import type { RollupConfig } from '@keelson/chainspec'
import { l2BlockRefOf, payloadL1Info, type SpanBatchInput } from '@keelson/derivation/codec'
import { type ExecutionPayload, type L2BlockRef, NodeError, type OriginTimeSec, TX_DEPOSIT } from '@keelson/primitives'
import { BatcherError } from './errors.ts'

export interface BatchBlock {
  readonly ref: L2BlockRef
  readonly input: SpanBatchInput
  readonly originTime: OriginTimeSec
  /** Estimated size before compression. */
  readonly rawBytes: number
}

const BATCH_OVERHEAD_BYTES = 90
const TRANSACTION_OVERHEAD_BYTES = 4

/** Throws BatcherError `batcher/block-unbatchable` (critical). */
export function toBatchBlock(payload: ExecutionPayload, config: RollupConfig): BatchBlock {
  const ref = readRef(payload, config)
  const transactions = payload.transactions.filter((transaction) => transaction[0] !== TX_DEPOSIT)
  return {
    ref,
    input: {
      parentHash: ref.parentHash,
      epoch: ref.l1Origin,
      timestampSec: ref.timestampSec,
      transactions,
      sequenceNumber: ref.sequenceNumber,
    },
    originTime: payloadL1Info(payload).timestampSec as OriginTimeSec,
    rawBytes: transactions.reduce((sum, tx) => sum + tx.length + TRANSACTION_OVERHEAD_BYTES, BATCH_OVERHEAD_BYTES),
  }
}

function readRef(payload: ExecutionPayload, config: RollupConfig): L2BlockRef {
  try {
    return l2BlockRefOf(payload, config.genesis)
  } catch (cause) {
    if (!(cause instanceof NodeError)) throw cause
    throw new BatcherError(
      'batcher/block-unbatchable',
      'critical',
      `L2 block ${payload.blockNumber} cannot be batched: ${cause.message}`,
      { number: payload.blockNumber, hash: payload.blockHash },
      { cause },
    )
  }
}
