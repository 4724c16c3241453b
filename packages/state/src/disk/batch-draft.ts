/** A write batch in the making that reads what it has already written. Keys are strings of one character a byte. */
import { bytesToKey, keyToBytes } from '../byte-key.ts'
import type { KeyValueOp, KeyValueStore } from '../ports.ts'

export class BatchDraft {
  private readonly writes = new Map<string, Uint8Array | null>()
  private readonly store: KeyValueStore
  constructor(store: KeyValueStore) {
    this.store = store
  }

  get(key: string): Uint8Array | null {
    const written = this.writes.get(key)
    return written !== undefined ? written : this.store.getSync(keyToBytes(key))
  }

  /** Null deletes. */
  set(key: string | Uint8Array, value: Uint8Array | null): void {
    this.writes.set(typeof key === 'string' ? key : bytesToKey(key), value)
  }

  ops(): KeyValueOp[] {
    const ops: KeyValueOp[] = []
    for (const [key, value] of this.writes) {
      const bytes = keyToBytes(key)
      ops.push(value === null ? { del: bytes } : { put: bytes, value })
    }
    return ops
  }
}
