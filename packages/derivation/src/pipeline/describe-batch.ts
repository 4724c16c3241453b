import { bytesToHex, type ErrorDetails } from '@keelson/primitives'
import type { SingularBatch } from '../codec/batch/singular-batch.ts'
import type { SpanBatch } from '../codec/span-batch/span-batch-cursor.ts'
import type { DecodedBatch } from './channel-reader.ts'

export function describeBatch(decoded: DecodedBatch): ErrorDetails {
  return decoded.kind === 'span' ? describeSpan(decoded.batch) : describeSingular(decoded.batch)
}

export function describeSingular({ timestampSec, epoch, transactions }: SingularBatch): ErrorDetails {
  return { timestamp: timestampSec, epoch: epoch.number, transactions: transactions.length }
}

export function describeSpan({ blockCount, first, last, parentCheck }: SpanBatch): ErrorDetails {
  return {
    blocks: blockCount,
    fromTimestamp: first.timestampSec,
    lastEpoch: last.epochNumber,
    parentCheck: bytesToHex(parentCheck),
  }
}
