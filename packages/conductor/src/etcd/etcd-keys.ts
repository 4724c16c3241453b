/** Names and values of a conductor's keys in etcd. They outlive releases: never give one another meaning. */
import { type BlockId, CodecError, parseHash, parseJsonObject } from '@keelson/primitives'
import { ConductorError } from '../errors.ts'
import type { Lease, RecordedBlock } from '../ports.ts'
import type { Entry } from './etcd-transaction.ts'

const heightOf = (number: number) => number.toString(16).padStart(16, '0')

export type EtcdKeys = ReturnType<typeof etcdKeys>

/** All keys begin with `prefix`, which ends in a slash. */
export function etcdKeys(prefix: string) {
  return {
    /** Number of the newest term. It stays when the leader is gone. */
    term: `${prefix}term`,
    /** Term and holder; attached to the lease of the holder's conductor. */
    leader: `${prefix}leader`,
    /** Number and hash of the newest block, and how often the record was moved to another block. */
    head: `${prefix}head`,
    /** What a conductor reports of its sequencer; attached to the conductor's lease. */
    members: `${prefix}member/`,
    member: (id: string) => `${prefix}member/${id}`,
    blocks: `${prefix}block/`,
    /** Hash and parent hash. */
    block: (number: number) => `${prefix}block/${heightOf(number)}`,
    payloads: `${prefix}payload/`,
    payloadsAt: (number: number) => `${prefix}payload/${heightOf(number)}/`,
    /** Parts of a payload: its version (a byte), then the payload as in gossip. */
    payloadParts: ({ number, hash }: BlockId) => `${prefix}payload/${heightOf(number)}/${hash}/`,
    payloadPart: ({ number, hash }: BlockId, part: number) =>
      `${prefix}payload/${heightOf(number)}/${hash}/${String(part).padStart(4, '0')}`,
  } as const
}

export interface StoredHead extends BlockId {
  /** Grows when the record moves to a block that is not a successor. */
  readonly moves: number
}

export function parseLeader(entry: Entry): Lease {
  return parseEntry(entry, ({ term, holder }) =>
    Number.isSafeInteger(term) && typeof holder === 'string' ? { term: term as number, holder } : null,
  )
}

export function parseTerm(entry: Entry): number {
  return parseEntry(entry, ({ term }) => (Number.isSafeInteger(term) ? (term as number) : null))
}

export function parseHead(entry: Entry): StoredHead {
  return parseEntry(entry, ({ number, hash, moves }) =>
    Number.isSafeInteger(number) && Number.isSafeInteger(moves)
      ? { number: number as number, hash: parseHash(hash, 'hash'), moves: moves as number }
      : null,
  )
}

export function parseBlock(entry: Entry): RecordedBlock {
  const number = Number.parseInt(entry.key.slice(entry.key.lastIndexOf('/') + 1), 16)
  return parseEntry(entry, ({ hash, parentHash }) =>
    Number.isSafeInteger(number) ? { number, hash: parseHash(hash, 'hash'), parentHash: parseHash(parentHash, 'parentHash') } : null,
  )
}

export function parseEntry<T>(entry: Entry, parse: (record: Readonly<Record<string, unknown>>) => T | null): T {
  let parsed: T | null = null
  try {
    parsed = parse(parseJsonObject(JSON.parse(new TextDecoder().decode(entry.value)), entry.key))
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof CodecError)) throw error
  }
  if (parsed !== null) return parsed
  throw new ConductorError(
    'critical',
    `the key ${entry.key} of etcd cannot be read; stop all sequencers and conductors, delete the keys of this chain from etcd, and start again`,
  )
}
