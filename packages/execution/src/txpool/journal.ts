/** Concurrent writes share a batch; removals wait for the next write or `flush`. */
import {
  bigintToBytes,
  bytesToHex,
  bytesToNumber,
  CodecError,
  decodeTransaction,
  type Hash,
  rlpBytes,
  rlpDecode,
  rlpEncode,
  rlpList,
  type Transaction,
} from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { pooledKey, pooledRange } from '../chain/keys.ts'

export interface JournalEntry {
  readonly addedAtMs: number
  readonly order: number
  readonly tx: Transaction
}

export interface PoolJournal {
  /** Resolves when the entry survives a restart. */
  add(entry: JournalEntry): Promise<void>
  remove(hash: Hash): void
  /** Also removes unreadable or misplaced entries. */
  load(): Promise<{ readonly entries: readonly JournalEntry[]; readonly unreadable: number }>
  flush(): Promise<void>
}

export function createPoolJournal(store: KeyValueStore): PoolJournal {
  let waiting = new Map<string, KeyValueOp>()
  let group: Promise<void> | null = null
  let lastWrite: Promise<void> = Promise.resolve()

  const write = (): Promise<void> => {
    group ??= openGroup()
    return group
  }
  const openGroup = (): Promise<void> => {
    const done = lastWrite.then(async () => {
      group = null
      const ops = waiting
      waiting = new Map()
      if (ops.size === 0) return
      try {
        await store.batch([...ops.values()])
      } catch (error) {
        // Retry the removals with the next write; otherwise a restart would restore the entries.
        for (const [key, op] of ops) if ('del' in op && !waiting.has(key)) waiting.set(key, op)
        throw error
      }
    })
    lastWrite = done.catch(() => undefined)
    return done
  }
  const removeKey = (key: Uint8Array) => waiting.set(bytesToHex(key), { del: key })

  return {
    add(entry) {
      const key = pooledKey(entry.tx.hash)
      waiting.set(bytesToHex(key), { put: key, value: encodeEntry(entry) })
      return write()
    },
    remove(hash) {
      removeKey(pooledKey(hash))
    },
    async load() {
      const entries: JournalEntry[] = []
      let unreadable = 0
      for await (const [key, value] of store.range(...pooledRange())) {
        const entry = decodeEntry(value)
        if (entry !== null && bytesToHex(pooledKey(entry.tx.hash)) === bytesToHex(key)) entries.push(entry)
        else {
          unreadable++
          removeKey(key)
        }
      }
      return { entries, unreadable }
    },
    flush: write,
  }
}

function encodeEntry({ addedAtMs, order, tx }: JournalEntry): Uint8Array {
  return rlpEncode([bigintToBytes(BigInt(Math.trunc(addedAtMs)), 8), tx.raw, order])
}

function decodeEntry(value: Uint8Array): JournalEntry | null {
  try {
    const fields = rlpList(rlpDecode(value), 'journal entry')
    const raw = rlpBytes(fields[1], 'transaction').slice()
    const order = fields[2] === undefined ? 0 : bytesToNumber(rlpBytes(fields[2], 'order'))
    return { addedAtMs: bytesToNumber(rlpBytes(fields[0], 'time', 8)), order, tx: decodeTransaction(raw) }
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return null
  }
}
