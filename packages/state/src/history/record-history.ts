import { hexToBytes } from '@keelson/primitives'
import { blockNumberBytes } from '../buckets.ts'
import { bytesToKey } from '../byte-key.ts'
import type { BatchDraft } from '../disk/batch-draft.ts'
import type { Pace } from '../disk/pace.ts'
import type { StateBlock } from '../state-store.ts'
import { encodeHistoryBlock, type HistoryBlock, type HistoryBounds, historyBlockKey } from './history-block.ts'
import { recordChange } from './history-index.ts'
import { encodeHistoryValue, historyValueKeyAt } from './history-value.ts'
import type { HistoryLimits } from './prune-history.ts'

export interface ChangedValue {
  readonly older: Uint8Array | null
  readonly newer: Uint8Array | null
}

export interface RecordHistoryInput {
  readonly draft: BatchDraft
  readonly pace: Pace
  readonly block: StateBlock
  readonly parent: StateBlock
  readonly history: HistoryBounds | null
  readonly limits: HistoryLimits
  readonly changes: ReadonlyMap<string, ChangedValue>
}

export async function recordHistory(input: RecordHistoryInput): Promise<HistoryBounds | null> {
  const { draft, pace, block, parent, history, changes } = input
  const { number } = block
  // History must have no gap: old records are pruned before recording resumes.
  if (input.limits.historyBlocks === 0 || (history !== null && history.newest !== number - 1)) return history
  const suffix = bytesToKey(blockNumberBytes(number))
  let blockBytes = 0
  let indexBytes = 0
  for (const [key, { older, newer }] of changes) {
    const { grown, before } = recordChange(draft, key, number)
    const record = encodeHistoryValue(key, before, older, newer)
    const recordKey = historyValueKeyAt(key, suffix)
    draft.set(recordKey, record)
    blockBytes += recordKey.length + record.length + 1 + key.length
    indexBytes += grown
    if (pace.due()) await pace.breathe()
  }
  const record: HistoryBlock = {
    hash: block.hash,
    parentHash: parent.hash,
    parentStateRoot: hexToBytes(parent.stateRoot),
    bytes: blockBytes,
    keys: [...changes.keys()],
  }
  draft.set(historyBlockKey(number), encodeHistoryBlock(record))
  return { oldest: history?.oldest ?? number, newest: number, bytes: (history?.bytes ?? 0) + blockBytes + indexBytes }
}
