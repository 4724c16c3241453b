/** Reproduces the disk after any prefix of the batches. */
import { compareBytes } from '@keelson/primitives'
import { createMemoryStore, type KeyValueOp, type KeyValueStore } from '@keelson/runtime'

export interface RecordedBatch {
  readonly ops: readonly KeyValueOp[]
  readonly sync: boolean
}

export interface RecordingStore extends KeyValueStore {
  readonly batches: readonly RecordedBatch[]
}

export function createRecordingStore(inner: KeyValueStore = createMemoryStore()): RecordingStore {
  const batches: RecordedBatch[] = []
  return {
    ...inner,
    batches,
    async batch(ops, options) {
      await inner.batch(ops, options)
      batches.push({ ops: ops.map(copyOp), sync: options?.sync === true })
    },
  }
}

export interface FailingStore extends KeyValueStore {
  full: boolean
  readonly refused: number
}

export function createFailingStore(inner: KeyValueStore): FailingStore {
  let refused = 0
  return {
    ...inner,
    full: false,
    get refused() {
      return refused
    },
    async batch(ops, options) {
      if (this.full) {
        refused++
        throw new Error('IO error: write: No space left on device')
      }
      await inner.batch(ops, options)
    },
  }
}

type Entry = readonly [key: Uint8Array, value: Uint8Array]

export class ReplayedContents {
  private readonly buckets = new Map<number, { readonly entries: Map<string, Entry>; sorted: Entry[] | null }>()

  apply(ops: readonly KeyValueOp[]): void {
    for (const op of ops) {
      const bucket = this.bucket(keyOf(op)[0] as number)
      if ('put' in op) bucket.entries.set(text(op.put), [op.put, op.value])
      else bucket.entries.delete(text(op.del))
      bucket.sorted = null
    }
  }

  get(key: Uint8Array): Uint8Array | null {
    return this.buckets.get(key[0] as number)?.entries.get(text(key))?.[1] ?? null
  }

  range(from: Uint8Array, to: Uint8Array): Entry[] {
    const found: Entry[] = []
    for (let first = from[0] as number; first <= (to[0] as number); first++) {
      const bucket = this.buckets.get(first)
      if (bucket === undefined) continue
      bucket.sorted ??= [...bucket.entries.values()].sort((a, b) => compareBytes(a[0], b[0]))
      found.push(...bucket.sorted.filter(([key]) => compareBytes(key, from) >= 0 && compareBytes(key, to) < 0))
    }
    return found
  }

  /** Applying another batch to this store invalidates the fork. */
  fork(): RecordingStore {
    const own = new Map<string, readonly [Uint8Array, Uint8Array | null]>()
    return createRecordingStore({
      getSync: (key) => {
        const written = own.get(text(key))
        return (written === undefined ? this.get(key) : written[1])?.slice() ?? null
      },
      async batch(ops) {
        for (const op of ops.map(copyOp)) own.set(text(keyOf(op)), 'put' in op ? [op.put, op.value] : [op.del, null])
      },
      range: (from, to, options = {}) => {
        const merged = new Map(this.range(from, to).map((entry) => [text(entry[0]), entry] as const))
        for (const [name, [key, value]] of own) {
          if (compareBytes(key, from) < 0 || compareBytes(key, to) >= 0) continue
          if (value === null) merged.delete(name)
          else merged.set(name, [key, value])
        }
        const entries = [...merged.values()].sort((a, b) => compareBytes(a[0], b[0]))
        if (options.reverse === true) entries.reverse()
        return inTurn(options.limit === undefined ? entries : entries.slice(0, options.limit))
      },
      close: async () => undefined,
    })
  }

  private bucket(first: number) {
    let bucket = this.buckets.get(first)
    if (bucket === undefined) {
      bucket = { entries: new Map(), sorted: null }
      this.buckets.set(first, bucket)
    }
    return bucket
  }
}

async function* inTurn(entries: readonly Entry[]): AsyncIterable<Entry> {
  for (const [key, value] of entries) yield [key.slice(), value.slice()]
}

function keyOf(op: KeyValueOp): Uint8Array {
  return 'put' in op ? op.put : op.del
}

function text(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
}

function copyOp(op: KeyValueOp): KeyValueOp {
  return 'put' in op ? { put: op.put.slice(), value: op.value.slice() } : { del: op.del.slice() }
}
