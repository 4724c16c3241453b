/** protocol/derivation.md#batch-format */
import { CodecError, concatBytes } from '@keelson/primitives'
import { runScan, type Scan } from '../bytes/scan.ts'
import { encodeSpanBatch, type RawSpanBatch, unpackSpanBatch } from '../span-batch/span-batch.ts'
import { type SpanBatchLayout, scanSpanBatch } from '../span-batch/span-batch-layout.ts'
import { encodeSingularBatch, type SingularBatch, scanSingularBatch } from './singular-batch.ts'

const SINGULAR_BATCH_VERSION = 0
export const SPAN_BATCH_VERSION = 1

export type WireBatch =
  | { readonly kind: 'singular'; readonly batch: SingularBatch }
  | { readonly kind: 'span'; readonly batch: RawSpanBatch }

export function encodeBatch(wire: WireBatch): Uint8Array {
  return wire.kind === 'singular'
    ? concatBytes(Uint8Array.of(SINGULAR_BATCH_VERSION), encodeSingularBatch(wire.batch))
    : concatBytes(Uint8Array.of(SPAN_BATCH_VERSION), encodeSpanBatch(wire.batch))
}

export type ReadBatch =
  | { readonly kind: 'singular'; readonly batch: SingularBatch }
  | { readonly kind: 'span'; readonly layout: SpanBatchLayout }

/** Ignores bytes after the batch. Throws CodecError (`codec/batch` or `codec/rlp`). */
export function decodeBatch(data: Uint8Array, maxSpanBatchElements: number): WireBatch {
  return unpackBatch(runScan(scanBatch(data, maxSpanBatchElements)).batch)
}

export function unpackBatch(batch: ReadBatch): WireBatch {
  return batch.kind === 'singular' ? batch : { kind: 'span', batch: unpackSpanBatch(batch.layout) }
}

export function* scanBatch(
  data: Uint8Array,
  maxSpanBatchElements: number,
): Scan<{ readonly batch: ReadBatch; readonly trailingBytes: number }> {
  const version = data[0]
  const content = data.subarray(1)
  if (version === SINGULAR_BATCH_VERSION) {
    const { batch, end } = yield* scanSingularBatch(content)
    return { batch: { kind: 'singular', batch }, trailingBytes: content.length - end }
  }
  if (version === SPAN_BATCH_VERSION) {
    const layout = yield* scanSpanBatch(content, maxSpanBatchElements)
    return { batch: { kind: 'span', layout }, trailingBytes: content.length - layout.end }
  }
  throw new CodecError('codec/batch', version === undefined ? 'empty batch' : `batch version ${version} is not known`)
}
