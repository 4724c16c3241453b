/** Append-only audit log of trading. Each entry contains the hash of the one before, so a later change shows. */
import { type Clock, type Hash, ZERO_HASH } from '@keelson/primitives'
import { digestOf, type Json } from '../digest.ts'

export interface AuditEntry {
  /** Starts at 1, without gaps. */
  readonly seq: number
  readonly atMs: number
  readonly executionId: string
  readonly userId: number
  readonly event: string
  readonly data: { readonly [key: string]: Json | undefined }
  readonly previousHash: Hash
  readonly hash: Hash
}

export interface AuditStore {
  last(): Promise<Pick<AuditEntry, 'seq' | 'hash'> | null>
  /** Durable when it resolves. Returns false and writes nothing when the number is taken. */
  append(entry: AuditEntry): Promise<boolean>
  read(fromSeq: number, limit: number): Promise<readonly AuditEntry[]>
}

export type AuditEvent = Pick<AuditEntry, 'executionId' | 'userId' | 'event' | 'data'>

export interface AuditLog {
  record(event: AuditEvent): Promise<void>
}

export function createAuditLog(store: AuditStore, clock: Clock): AuditLog {
  let turn: Promise<unknown> = Promise.resolve()
  const append = async (event: AuditEvent): Promise<void> => {
    // another process may have taken the number: append after its entry
    for (;;) {
      const last = await store.last()
      const content = { ...event, seq: (last?.seq ?? 0) + 1, atMs: clock.nowMs(), previousHash: last?.hash ?? ZERO_HASH }
      if (await store.append({ ...content, hash: hashOf(content) })) return
    }
  }
  return {
    record(event) {
      const mine = turn.then(() => append(event))
      turn = mine.catch(() => undefined)
      return mine
    },
  }
}

/** Returns the number of the first entry that breaks the chain of hashes; null when none does. */
export function findBrokenAuditEntry(entries: readonly AuditEntry[]): number | null {
  let previous: Pick<AuditEntry, 'seq' | 'hash'> = { seq: 0, hash: ZERO_HASH }
  for (const { hash, ...content } of entries) {
    const follows = content.seq === previous.seq + 1 && content.previousHash === previous.hash && hash === hashOf(content)
    if (!follows) return previous.seq + 1
    previous = { seq: content.seq, hash }
  }
  return null
}

function hashOf({ seq, atMs, executionId, userId, event, data, previousHash }: Omit<AuditEntry, 'hash'>): Hash {
  return digestOf({ seq, atMs, executionId, userId, event, data, previousHash })
}
