import type { BlockId, ErrorDetails } from '@keelson/primitives'

export type StageName =
  | 'l1-traversal'
  | 'l1-retrieval'
  | 'frame-queue'
  | 'channel-bank'
  | 'channel-assembler'
  | 'channel-reader'
  | 'batch-stream'
  | 'batch-queue'
  | 'attributes-queue'

export type DropReason =
  | 'system-config-malformed'
  // an update that a later version of the contract may send
  | 'system-config-unknown'
  // l1-retrieval
  | 'batcher-tx-wrong-sender'
  | 'batcher-tx-type-unsupported'
  | 'blob-tx-calldata'
  | 'blob-malformed'
  // frame-queue
  | 'frame-malformed'
  | 'frame-out-of-order'
  | 'frame-channel-unclosed'
  // channel-bank and channel-assembler
  | 'frame-duplicate'
  | 'frame-past-end'
  | 'frame-second-close'
  | 'frame-without-channel'
  | 'channel-timed-out'
  | 'channel-too-large'
  | 'channel-pruned'
  | 'channel-replaced'
  // channel-reader
  | 'channel-version-unknown'
  | 'channel-corrupt'
  | 'channel-brotli-too-early'
  | 'channel-too-long'
  | 'channel-trailing-bytes'
  | 'channel-flushed'
  | 'batch-malformed'
  | 'batch-trailing-bytes'
  // batch-stream and batch-queue
  | 'fork-activated'
  | 'batch-behind-safe-head'
  | 'span-batch-given-up'
  | 'span-batch-undecided'
  | BatchDropReason
  // attributes-queue
  | 'payload-invalid'

/** Rules that a batch breaks. protocol/derivation.md#batch-queue, delta/span-batches.md#batch-queue */
export type BatchDropReason =
  | 'batch-in-future'
  | 'batch-in-past'
  | 'batch-wrong-parent'
  | 'batch-included-too-late'
  | 'batch-epoch-too-old'
  | 'batch-epoch-too-new'
  | 'batch-wrong-epoch-hash'
  | 'batch-before-its-origin'
  | 'batch-exceeds-drift'
  | 'batch-should-adopt-next-origin'
  | 'batch-in-activation-block-not-empty'
  | 'batch-empty-transaction'
  | 'batch-deposit-transaction'
  | 'batch-transaction-type-unsupported'
  | 'span-batch-too-early'
  | 'span-batch-misaligned'
  | 'span-batch-overlap-differs'
  | 'batch-origin-unknown'
  | 'batch-before-safe-origin'

export interface DropEvent {
  readonly stage: StageName
  readonly reason: DropReason
  readonly l1Origin: BlockId
  readonly details: ErrorDetails
}

export interface DerivationObserver {
  dropped(event: DropEvent): void
}

export const SILENT_OBSERVER: DerivationObserver = { dropped: () => undefined }
