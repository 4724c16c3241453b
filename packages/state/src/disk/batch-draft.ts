/** A write batch whose reads see its own writes. */
import { bytesToKey, keyToBytes } from '../byte-key.ts'
import type { KeyValueOp, KeyValueReader } from '../ports.ts'
import type { Pace } from './pace.ts'

export class BatchDraft {
  private readonly writes = new Map<string, Uint8Array | null>()
  private readonly reads = new Map<string, Uint8Array | null>()
  private readonly store: Pick<KeyValueReader, 'getSync'>
  private readonly known: (key: string) => Uint8Array | null | undefined

  constructor(store: Pick<KeyValueReader, 'getSync'>, known: (key: string) => Uint8Array | null | undefined = () => undefined) {
    this.store = store
    this.known = known
  }

  get(key: string): Uint8Array | null {
    let value = this.writes.get(key)
    if (value !== undefined) return value
    value = this.reads.get(key)
    if (value !== undefined) return value
    value = this.known(key)
    if (value === undefined) value = this.store.getSync(keyToBytes(key))
    this.reads.set(key, value)
    return value
  }

  set(key: string | Uint8Array, value: Uint8Array | null): void {
    this.writes.set(typeof key === 'string' ? key : bytesToKey(key), value)
  }

  written(): Iterable<readonly [string, Uint8Array | null]> {
    return this.writes
  }

  ops(): KeyValueOp[] {
    const ops: KeyValueOp[] = []
    for (const [key, value] of this.writes) ops.push(operation(key, value))
    return ops
  }

  async opsInPieces(pace: Pace): Promise<KeyValueOp[]> {
    const ops: KeyValueOp[] = []
    for (const [key, value] of this.writes) {
      ops.push(operation(key, value))
      if (pace.due()) await pace.breathe()
    }
    return ops
  }
}

function operation(key: string, value: Uint8Array | null): KeyValueOp {
  const bytes = keyToBytes(key)
  return value === null ? { del: bytes } : { put: bytes, value }
}
