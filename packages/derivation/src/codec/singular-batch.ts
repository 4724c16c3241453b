/** Batch version 0: the content of one L2 block. protocol/derivation.md#batch-format */
import {
  type BlockId,
  CodecError,
  type Hash,
  hexToBytes,
  rlpBigint,
  rlpBytes,
  rlpDecodeFirst,
  rlpEncode,
  rlpList,
  toHash,
} from '@keelson/primitives'
import { clampToNumber } from './clamp.ts'

export interface SingularBatch {
  readonly parentHash: Hash
  /** The block's L1 origin. */
  readonly epoch: BlockId
  readonly timestampSec: number
  /** User transactions only. */
  readonly transactions: readonly Uint8Array[]
}

/** Without the version byte. */
export function encodeSingularBatch(batch: SingularBatch): Uint8Array {
  return rlpEncode([
    hexToBytes(batch.parentHash),
    batch.epoch.number,
    hexToBytes(batch.epoch.hash),
    batch.timestampSec,
    [...batch.transactions],
  ])
}

/** Without the version byte; bytes after the list are ignored. Throws CodecError (`codec/batch` or `codec/rlp`). */
export function decodeSingularBatch(content: Uint8Array): SingularBatch {
  return readSingularBatch(content).batch
}

/** `end`: where the bytes begin that are ignored. Throws like `decodeSingularBatch`. */
export function readSingularBatch(content: Uint8Array): { readonly batch: SingularBatch; readonly end: number } {
  const { item, end } = rlpDecodeFirst(content)
  const fields = rlpList(item, 'singular batch')
  if (fields.length !== 5) throw new CodecError('codec/batch', `singular batch: expected 5 fields, got ${fields.length}`)
  const batch = {
    parentHash: toHash(rlpBytes(fields[0], 'parent hash', 32)),
    epoch: { number: clampToNumber(rlpBigint(fields[1], 'epoch number', 8)), hash: toHash(rlpBytes(fields[2], 'epoch hash', 32)) },
    timestampSec: clampToNumber(rlpBigint(fields[3], 'timestamp', 8)),
    transactions: rlpList(fields[4], 'transactions').map((tx) => rlpBytes(tx, 'transaction')),
  }
  return { batch, end }
}
