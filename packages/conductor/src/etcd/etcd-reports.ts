/** What each conductor reports of its sequencer to the others. */
import { type BlockId, parseHash, parseJsonObject } from '@keelson/primitives'
import type { CandidateStatus, TimedBlock } from '../ports.ts'
import { parseEntry } from './etcd-keys.ts'
import type { Entry } from './etcd-transaction.ts'

export interface Report {
  /** The lease of the conductor. */
  readonly session: string
  readonly address: string
  readonly status: CandidateStatus | null
  /** Why there is no status. */
  readonly reason: string | null
}

export interface StoredReport extends Report {
  readonly revision: bigint
}

const MAX_REASON_CHARS = 200

export function encodeReport({ session, address, status, reason }: Report): string {
  return JSON.stringify({ session, address, status, reason: reason?.slice(0, MAX_REASON_CHARS) ?? null })
}

export function parseReport(entry: Entry): [id: string, StoredReport] {
  const id = entry.key.slice(entry.key.lastIndexOf('/') + 1)
  const report = parseEntry(entry, ({ session, address, status, reason }) => {
    if (typeof session !== 'string' || typeof address !== 'string') return null
    if (status === null) return { session, address, status, reason: typeof reason === 'string' ? reason : null }
    const { unsafe, unsafeOrigin, safe, active, overridden, peers } = parseJsonObject(status, 'status')
    if (typeof active !== 'boolean' || typeof peers !== 'number') return null
    const heads = { unsafe: timed(unsafe), unsafeOrigin: originOf(unsafeOrigin), safe: timed(safe) }
    return { session, address, status: { ...heads, active, overridden: overridden === true, peers }, reason: null }
  })
  return [id, { ...report, revision: BigInt(entry.revision) }]
}

/** Earlier releases do not report it. */
function originOf(value: unknown): BlockId | null {
  if (value === undefined || value === null) return null
  const { number, hash } = parseJsonObject(value, 'origin')
  return { number: Number(number), hash: parseHash(hash, 'hash') }
}

function timed(value: unknown): TimedBlock {
  const { number, hash, timestampSec } = parseJsonObject(value, 'block')
  return { number: Number(number), hash: parseHash(hash, 'hash'), timestampSec: Number(timestampSec) }
}
