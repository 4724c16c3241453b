import { bytesToHex, type Hash } from '@keelson/primitives'
import { BUCKETS, META_DISK, META_HISTORY, META_ROLLBACKS, metaKey } from '../buckets.ts'
import { encodeHistoryBounds, getHistoryBlock, type HistoryBounds, historyBlockKey } from '../history/history-block.ts'
import { readAtBlock } from '../history/history-value.ts'
import { forgetChange } from '../history/prune-history.ts'
import type { KeyValueOp, KeyValueReader, KeyValueStore } from '../ports.ts'
import type { StateBlock } from '../state-store.ts'
import { BatchDraft } from './batch-draft.ts'
import { encodeDiskMarker } from './disk-marker.ts'

export interface RollbackBatch {
  readonly ops: readonly KeyValueOp[]
  readonly disk: StateBlock
  readonly history: HistoryBounds | null
}

export function prepareRollback(
  store: KeyValueStore,
  disk: StateBlock,
  history: HistoryBounds | null,
  layerHashes: readonly Uint8Array[],
): RollbackBatch | null {
  if (history === null || history.newest !== disk.number) return null
  const draft = new BatchDraft(store)
  const read = (key: string) => draft.get(key)
  const block = getHistoryBlock(read, disk.number)
  const restored = block.keys.map((key) => [key, readAtBlock(read, key, disk.number - 1, read)] as const)
  let freed = block.bytes
  for (const key of block.keys) freed += forgetChange(draft, key, disk.number)
  draft.set(historyBlockKey(disk.number), null)
  for (const [key, value] of restored) draft.set(key, value)
  const bounds =
    history.oldest === disk.number ? null : { oldest: history.oldest, newest: disk.number - 1, bytes: Math.max(0, history.bytes - freed) }
  draft.set(metaKey(META_HISTORY), bounds === null ? null : encodeHistoryBounds(bounds))
  const before: StateBlock = { hash: block.parentHash, number: disk.number - 1, stateRoot: bytesToHex(block.parentStateRoot) as Hash }
  draft.set(metaKey(META_DISK), encodeDiskMarker(before))
  draft.set(metaKey(META_ROLLBACKS), encodeCount(countRollbacks(store) + 1))
  for (const hash of layerHashes) draft.set(Uint8Array.of(BUCKETS.layer, ...hash), null)
  return { ops: draft.ops(), disk: before, history: bounds }
}

export function countRollbacks(store: KeyValueReader): number {
  const record = store.getSync(metaKey(META_ROLLBACKS))
  return record === null ? 0 : new DataView(record.buffer, record.byteOffset).getUint32(0)
}

function encodeCount(count: number): Uint8Array {
  const out = new Uint8Array(4)
  new DataView(out.buffer).setUint32(0, count)
  return out
}
