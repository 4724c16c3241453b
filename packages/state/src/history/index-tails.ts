/** Caches index records of keys that change in every block. */
import { BUCKETS } from '../buckets.ts'
import type { BatchDraft } from '../disk/batch-draft.ts'
import { ByteLru } from '../disk/byte-lru.ts'
import type { Pace } from '../disk/pace.ts'
import { LIST, TOP } from './history-index.ts'

export class IndexTails {
  private readonly records: ByteLru<Uint8Array | null>

  constructor(maxBytes: number) {
    this.records = new ByteLru(maxBytes, (record) => record?.length ?? 0)
  }

  readonly find = (key: string): Uint8Array | null | undefined => this.records.get(key)

  async take(draft: BatchDraft, pace: Pace): Promise<void> {
    for (const [key, record] of draft.written()) {
      if (key.charCodeAt(0) !== BUCKETS.historyIndex) continue
      if (isHot(key, record)) this.records.set(key, record)
      else this.records.delete(key)
      if (pace.due()) await pace.breathe()
    }
  }

  clear(): void {
    this.records.clear()
  }

  get usedBytes(): number {
    return this.records.usedBytes
  }
}

function isHot(key: string, record: Uint8Array | null): boolean {
  return record !== null && (key.charCodeAt(1) !== TOP || record[0] !== LIST || record.length >= HOT_LIST_BYTES)
}

const HOT_LIST_BYTES = 1 + 4 * 4
