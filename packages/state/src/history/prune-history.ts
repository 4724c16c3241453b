import type { BatchDraft } from '../disk/batch-draft.ts'
import type { Pace } from '../disk/pace.ts'
import { getHistoryBlock, type HistoryBounds, historyBlockKey } from './history-block.ts'
import { removeChange } from './history-index.ts'
import { historyValueKey } from './history-value.ts'

export interface HistoryLimits {
  readonly historyBlocks: number
  readonly historyBytes: number
}

export interface PruneHistoryInput {
  readonly draft: BatchDraft
  readonly pace: Pace
  readonly history: HistoryBounds | null
  readonly newest: number
  readonly limits: HistoryLimits
  readonly maxBlocks: number
  readonly maxKeys?: number
}

/** History that ends below the disk layer's block must be pruned. */
export function exceedsLimits(history: HistoryBounds | null, newest: number, limits: HistoryLimits): boolean {
  if (history === null) return false
  const blocks = history.newest - history.oldest + 1
  return history.newest !== newest || blocks > limits.historyBlocks || history.bytes > limits.historyBytes
}

export async function pruneHistory(input: PruneHistoryInput): Promise<HistoryBounds | null> {
  const { draft, pace, newest, limits, maxBlocks, maxKeys = Number.POSITIVE_INFINITY } = input
  let { history } = input
  let keys = 0
  for (let i = 0; i < maxBlocks && keys < maxKeys && history !== null && exceedsLimits(history, newest, limits); i++) {
    const { oldest } = history
    const block = getHistoryBlock((key) => draft.get(key), oldest)
    let freed = block.bytes
    for (const key of block.keys) {
      freed += forgetChange(draft, key, oldest)
      if (pace.due()) await pace.breathe()
    }
    keys += block.keys.length
    draft.set(historyBlockKey(oldest), null)
    history = oldest === history.newest ? null : { ...history, oldest: oldest + 1, bytes: Math.max(0, history.bytes - freed) }
  }
  return history
}

export function forgetChange(draft: BatchDraft, versionedKey: string, number: number): number {
  draft.set(historyValueKey(versionedKey, number), null)
  return removeChange(draft, versionedKey, number)
}
