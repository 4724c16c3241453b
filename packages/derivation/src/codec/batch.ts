/** A batch of either version behind its version byte. protocol/derivation.md#batch-format */
import { CodecError, concatBytes } from '@keelson/primitives'
import { decodeSingularBatch, encodeSingularBatch, type SingularBatch } from './singular-batch.ts'
import { decodeSpanBatch, encodeSpanBatch, type RawSpanBatch } from './span-batch.ts'

export const SINGULAR_BATCH_VERSION = 0
export const SPAN_BATCH_VERSION = 1

export type WireBatch =
  | { readonly kind: 'singular'; readonly batch: SingularBatch }
  | { readonly kind: 'span'; readonly batch: RawSpanBatch }

export function encodeBatch(wire: WireBatch): Uint8Array {
  return wire.kind === 'singular'
    ? concatBytes(Uint8Array.of(SINGULAR_BATCH_VERSION), encodeSingularBatch(wire.batch))
    : concatBytes(Uint8Array.of(SPAN_BATCH_VERSION), encodeSpanBatch(wire.batch))
}

/** Throws CodecError (`codec/batch` or `codec/rlp`). */
export function decodeBatch(data: Uint8Array, maxSpanBatchElements: number): WireBatch {
  const version = data[0]
  if (version === SINGULAR_BATCH_VERSION) return { kind: 'singular', batch: decodeSingularBatch(data.subarray(1)) }
  if (version === SPAN_BATCH_VERSION) return { kind: 'span', batch: decodeSpanBatch(data.subarray(1), maxSpanBatchElements) }
  throw new CodecError('codec/batch', version === undefined ? 'empty batch' : `batch version ${version} is not known`)
}
