/** What was last known of etcd, on this machine's disk, so that a conductor that restarts knows a replaced or restored etcd. */
import { CodecError, type Logger, messageOf, parseHash, parseJsonInteger, parseJsonObject, utf8ToBytes } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { BUCKETS } from '../buckets.ts'
import { ConductorError } from '../errors.ts'
import type { StoredHead } from './etcd-keys.ts'

export interface KnownHistory {
  /** Revision of the whole store. */
  readonly revision: bigint
  readonly term: number
  readonly head: StoredHead | null
}

export interface KnownEtcd extends KnownHistory {
  readonly cluster: string
}

export interface EtcdMemory {
  /** As of the start; null when nothing is remembered. */
  readonly known: KnownEtcd | null
  /** Writes soon. Only the newest of several is written. */
  note(known: KnownEtcd): void
  /** Resolves when nothing is left to write. */
  settle(): Promise<void>
}

const KEY = Uint8Array.of(BUCKETS.etcd)

/** Throws ConductorError (critical) when the store is malformed. */
export function openEtcdMemory(store: KeyValueStore, log: Logger): EtcdMemory {
  let next: KnownEtcd | null = null
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    for (let written = next; written !== null; ) {
      const { cluster, revision, term, head } = written
      const value = utf8ToBytes(JSON.stringify({ cluster, revision: String(revision), term, head }))
      await store
        .batch([{ put: KEY, value }])
        .catch((error: unknown) => log.error('what is known of etcd is not written', { reason: messageOf(error) }))
      if (next === written) next = null
      written = next
    }
  }

  return {
    known: readKnownEtcd(store),
    note(known) {
      const isIdle = next === null
      next = known
      if (isIdle) writing = write()
    },
    settle: () => writing,
  }
}

function readKnownEtcd(store: KeyValueStore): KnownEtcd | null {
  const value = store.getSync(KEY)
  if (value === null) return null
  try {
    const { cluster, revision, term, head } = parseJsonObject(JSON.parse(new TextDecoder().decode(value)), 'etcd')
    if (typeof cluster !== 'string' || typeof revision !== 'string') throw new CodecError('codec/json', 'cluster and revision are no texts')
    return { cluster, revision: BigInt(revision), term: parseJsonInteger(term, 'term'), head: head === null ? null : parseStored(head) }
  } catch (cause) {
    const remedy = 'forget it with the command conductor forget-etcd, when the record in etcd is the right one'
    throw new ConductorError('critical', `what is remembered of etcd cannot be read; ${remedy}`, {}, { cause })
  }
}

/** The next conductor on this store accepts any etcd. Returns what was remembered, as JSON, or null. */
export async function forgetEtcd(store: KeyValueStore): Promise<string | null> {
  const value = store.getSync(KEY)
  await store.batch([{ del: KEY }], { sync: true })
  return value === null ? null : new TextDecoder().decode(value)
}

function parseStored(value: unknown): StoredHead {
  const { number, hash, moves } = parseJsonObject(value, 'head')
  return { number: parseJsonInteger(number, 'number'), hash: parseHash(hash, 'hash'), moves: parseJsonInteger(moves, 'moves') }
}
