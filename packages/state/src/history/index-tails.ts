/**
 * Records of the history index that were written or read last, so that a key that changes with every
 * block costs no read: as the store has them after its last batch, capped in bytes.
 */
import { BUCKETS } from '../buckets.ts'
import type { BatchDraft } from '../disk/batch-draft.ts'
import { ByteLru } from '../disk/byte-lru.ts'

export class IndexTails {
  private readonly records: ByteLru<Uint8Array | null>

  constructor(maxBytes: number) {
    this.records = new ByteLru(maxBytes, (record) => record?.length ?? 0)
  }

  /** Undefined when the store has to be asked. */
  readonly find = (key: string): Uint8Array | null | undefined => this.records.get(key)

  /** The draft's batch has been written. */
  take(draft: BatchDraft): void {
    for (const [key, record] of draft.written()) if (key.charCodeAt(0) === BUCKETS.historyIndex) this.records.set(key, record)
  }

  clear(): void {
    this.records.clear()
  }

  get usedBytes(): number {
    return this.records.usedBytes
  }
}
