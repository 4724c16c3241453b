/**
 * The pool on disk, so that an accepted transaction outlives a killed process. Writes that come
 * together go in one batch; removals wait for the next write or for `flush`.
 */
import { bigintToBytes, bytesToNumber, type Hash, rlpBytes, rlpDecode, rlpEncode, rlpList } from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { pooledKey, pooledRange } from '../chain/keys.ts'

export interface JournalEntry {
  readonly addedAtMs: number
  readonly raw: Uint8Array
}

export interface PoolJournal {
  /** Resolves when a restart would find it. */
  add(hash: Hash, entry: JournalEntry): Promise<void>
  remove(hash: Hash): void
  /** Every entry of an earlier run; entries that cannot be read are removed. */
  load(): Promise<readonly JournalEntry[]>
  /** Writes what is still to be written. */
  flush(): Promise<void>
}

export function createPoolJournal(store: KeyValueStore): PoolJournal {
  let waiting: KeyValueOp[] = []
  let group: Promise<void> | null = null
  let lastWrite: Promise<void> = Promise.resolve()

  /** Joins the group that waits for the write before it, or opens one. */
  const write = (): Promise<void> => {
    group ??= openGroup()
    return group
  }
  const openGroup = (): Promise<void> => {
    const done = lastWrite.then(() => {
      group = null
      const ops = waiting
      waiting = []
      return ops.length === 0 ? undefined : store.batch(ops)
    })
    lastWrite = done.catch(() => undefined)
    return done
  }
  return {
    add(hash, entry) {
      waiting.push({ put: pooledKey(hash), value: encodeEntry(entry) })
      return write()
    },
    remove(hash) {
      waiting.push({ del: pooledKey(hash) })
    },
    async load() {
      const entries: JournalEntry[] = []
      for await (const [key, value] of store.range(...pooledRange())) {
        const entry = decodeEntry(value)
        if (entry === null) waiting.push({ del: key })
        else entries.push(entry)
      }
      return entries
    },
    flush: write,
  }
}

function encodeEntry(entry: JournalEntry): Uint8Array {
  return rlpEncode([bigintToBytes(BigInt(Math.trunc(entry.addedAtMs)), 8), entry.raw])
}

/** Null when the bytes are not an entry. */
function decodeEntry(value: Uint8Array): JournalEntry | null {
  try {
    const fields = rlpList(rlpDecode(value), 'journal entry')
    return { addedAtMs: bytesToNumber(rlpBytes(fields[0], 'time', 8)), raw: rlpBytes(fields[1], 'transaction').slice() }
  } catch {
    return null
  }
}
