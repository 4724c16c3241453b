/** Writes the history of a flattened block and prunes what lies outside the window, in the same batch. */
import { type Bytes32, type Hash, hexToBytes } from '@keelson/primitives'
import { META_HISTORY, metaKey } from '../buckets.ts'
import type { BatchDraft } from '../disk/batch-draft.ts'
import { StateError } from '../errors.ts'
import {
  decodeHistoryBlock,
  encodeHistoryBlock,
  encodeHistoryBounds,
  type HistoryBlock,
  type HistoryBounds,
  historyBlockKey,
  readParentStateRoot,
} from './history-block.ts'
import { addChange, removeChange } from './history-index.ts'
import { encodeHistoryValue, historyValueKey } from './history-value.ts'

export interface HistoryLimits {
  /** 0 keeps no history. */
  readonly historyBlocks: number
  readonly historyBytes: number
}

/** So that a smaller window given at a restart does not make one batch huge. */
const MAX_PRUNED_PER_BATCH = 4

export interface RecordHistoryInput {
  readonly draft: BatchDraft
  readonly disk: { readonly hash: Hash; readonly stateRoot: Hash }
  readonly layer: { readonly hash: Hash; readonly number: number }
  readonly history: HistoryBounds | null
  readonly limits: HistoryLimits
  readonly replaced: ReadonlyMap<string, Uint8Array | null>
  readonly written: ReadonlyMap<string, Uint8Array | null>
}

/** Returns the bounds after the batch. */
export function recordHistory(input: RecordHistoryInput): HistoryBounds | null {
  const { draft, layer, replaced, written, limits } = input
  let bounds = input.history
  // After a time without history the old records are pruned before new ones begin, so that there never is a gap.
  if (limits.historyBlocks > 0 && (bounds === null || bounds.newest === layer.number - 1)) {
    const read = (key: string) => draft.get(key)
    let blockBytes = 0
    let indexBytes = 0
    for (const [key, old] of replaced) {
      const record = encodeHistoryValue(read, key, layer.number, old, written.get(key) ?? null)
      const recordKey = historyValueKey(key, layer.number)
      draft.set(recordKey, record)
      blockBytes += recordKey.length + record.length + 1 + key.length
      indexBytes += addChange(draft, key, layer.number)
    }
    const block: HistoryBlock = {
      hash: layer.hash,
      parentHash: input.disk.hash,
      parentStateRoot: hexToBytes(input.disk.stateRoot),
      bytes: blockBytes,
      keys: [...replaced.keys()],
    }
    draft.set(historyBlockKey(layer.number), encodeHistoryBlock(block))
    bounds = { oldest: bounds?.oldest ?? layer.number, newest: layer.number, bytes: (bounds?.bytes ?? 0) + blockBytes + indexBytes }
  }
  bounds = prune(draft, bounds, layer.number, limits)
  draft.set(metaKey(META_HISTORY), bounds === null ? null : encodeHistoryBounds(bounds))
  return bounds
}

function prune(draft: BatchDraft, before: HistoryBounds | null, newest: number, limits: HistoryLimits): HistoryBounds | null {
  let bounds = before
  for (let i = 0; i < MAX_PRUNED_PER_BATCH && bounds !== null; i++) {
    const blocks = bounds.newest - bounds.oldest + 1
    if (bounds.newest === newest && blocks <= limits.historyBlocks && bounds.bytes <= limits.historyBytes) break
    const freed = forgetBlock(draft, bounds.oldest)
    bounds = blocks === 1 ? null : { ...bounds, oldest: bounds.oldest + 1, bytes: Math.max(0, bounds.bytes - freed) }
  }
  return bounds
}

/** Removes one block's records and returns their bytes. */
export function forgetBlock(draft: BatchDraft, number: number): number {
  const block = getHistoryBlock((key) => draft.get(key), number)
  let freed = block.bytes
  for (const key of block.keys) {
    draft.set(historyValueKey(key, number), null)
    freed += removeChange(draft, key, number)
  }
  draft.set(historyBlockKey(number), null)
  return freed
}

/** Throws StateError `state/corrupt-record` when the block has no record. */
export function getHistoryBlock(read: (key: string) => Uint8Array | null, number: number): HistoryBlock {
  return decodeHistoryBlock(getRecord(read, number))
}

/** State root before the block. Throws StateError `state/corrupt-record` when the block has no record. */
export function getParentStateRoot(read: (key: string) => Uint8Array | null, number: number): Bytes32 {
  return readParentStateRoot(getRecord(read, number))
}

function getRecord(read: (key: string) => Uint8Array | null, number: number): Uint8Array {
  const record = read(historyBlockKey(number))
  if (record === null) throw new StateError('state/corrupt-record', 'critical', `the history of block ${number} is listed but not there`)
  return record
}
