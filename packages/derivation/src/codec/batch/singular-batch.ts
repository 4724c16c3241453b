/** Batch version 0. protocol/derivation.md#batch-format */
import {
  type BlockId,
  CodecError,
  type Hash,
  hexToBytes,
  rlpBigint,
  rlpBytes,
  rlpDecodeFirst,
  rlpEncode,
  rlpEndOfFirst,
  rlpListContent,
  toHash,
} from '@keelson/primitives'
import { clampToNumber } from '../bytes/clamp.ts'
import { runScan, type Scan } from '../bytes/scan.ts'
import { type BatchTransactions, scanTransactionList } from './batch-transactions.ts'

const FIRST_LIST = 0xc0

export interface SingularBatch {
  readonly parentHash: Hash
  readonly epoch: BlockId
  readonly timestampSec: number
  readonly transactions: BatchTransactions
}

export function encodeSingularBatch(batch: SingularBatch): Uint8Array {
  return rlpEncode([
    hexToBytes(batch.parentHash),
    batch.epoch.number,
    hexToBytes(batch.epoch.hash),
    batch.timestampSec,
    [...batch.transactions],
  ])
}

/** Ignores bytes after the list. Throws CodecError. */
export function decodeSingularBatch(content: Uint8Array): SingularBatch {
  return runScan(scanSingularBatch(content)).batch
}

export function* scanSingularBatch(content: Uint8Array): Scan<{ readonly batch: SingularBatch; readonly end: number }> {
  const end = rlpEndOfFirst(content)
  const list = rlpListContent(content.subarray(0, end), 'singular batch')
  let at = 0
  const field = (what: string, length?: number): Uint8Array => {
    if ((list[at] as number) >= FIRST_LIST) throw new CodecError('codec/batch', `${what}: expected RLP bytes, got a list`)
    const { item, end: next } = rlpDecodeFirst(list, at)
    at = next
    return rlpBytes(item, what, length)
  }
  const parentHash = toHash(field('parent hash', 32))
  const epochNumber = clampToNumber(rlpBigint(field('epoch number'), 'epoch number', 8))
  const epoch = { number: epochNumber, hash: toHash(field('epoch hash', 32)) }
  const timestampSec = clampToNumber(rlpBigint(field('timestamp'), 'timestamp', 8))
  const endOfTransactions = rlpEndOfFirst(list, at)
  if (endOfTransactions !== list.length) throw new CodecError('codec/batch', 'singular batch: expected 5 fields, got more')
  const transactions = yield* scanTransactionList(rlpListContent(list.subarray(at), 'transactions'))
  return { batch: { parentHash, epoch, timestampSec, transactions }, end }
}
