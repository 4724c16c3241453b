/** What a batch claims, for the report of its drop. */
import { bytesToHex, type ErrorDetails } from '@keelson/primitives'
import type { SingularBatch } from '../codec/singular-batch.ts'
import type { SpanBatch, SpanBatchBlock } from '../codec/span-batch.ts'
import type { DecodedBatch } from './channel-reader.ts'

export function describeBatch(decoded: DecodedBatch): ErrorDetails {
  return decoded.kind === 'span' ? describeSpan(decoded.batch) : describeSingular(decoded.batch)
}

export function describeSingular({ timestampSec, epoch, transactions }: SingularBatch): ErrorDetails {
  return { timestamp: timestampSec, epoch: epoch.number, transactions: transactions.length }
}

export function describeSpan({ blocks, parentCheck }: SpanBatch): ErrorDetails {
  const [first, last] = [blocks[0], blocks[blocks.length - 1]] as [SpanBatchBlock, SpanBatchBlock]
  return {
    blocks: blocks.length,
    fromTimestamp: first.timestampSec,
    lastEpoch: last.epochNumber,
    parentCheck: bytesToHex(parentCheck),
  }
}
