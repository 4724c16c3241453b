/** Each entry contains the hash of the previous one, which reveals later changes. */
import { type Clock, type Hash, ZERO_HASH } from '@keelson/primitives'
import { digestOf, type Json } from '../digest.ts'

export interface AuditEntry {
  readonly seq: number
  readonly atMs: number
  readonly executionId: string
  readonly userId: number
  readonly event: string
  readonly data: { readonly [key: string]: Json | undefined }
  readonly previousHash: Hash
  readonly hash: Hash
}

export interface AuditSink {
  last(): Promise<Pick<AuditEntry, 'seq' | 'hash'> | null>
  /** Returns false when the entry's `seq` is taken. */
  append(entry: AuditEntry): Promise<boolean>
}

export class AuditLog {
  readonly #store: AuditSink
  readonly #clock: Clock
  #turn: Promise<unknown> = Promise.resolve()

  constructor(store: AuditSink, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Durable when it resolves. */
  record({ id, userId }: { readonly id: string; readonly userId: number }, event: string, data: AuditEntry['data']): Promise<void> {
    const mine = this.#turn.then(() => this.#append({ executionId: id, userId, event, data }))
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  async #append(event: Pick<AuditEntry, 'executionId' | 'userId' | 'event' | 'data'>): Promise<void> {
    // retried, because another process may take the same `seq`
    for (;;) {
      const last = await this.#store.last()
      const content = { ...event, seq: (last?.seq ?? 0) + 1, atMs: this.#clock.nowMs(), previousHash: last?.hash ?? ZERO_HASH }
      if (await this.#store.append({ ...content, hash: hashOf(content) })) return
    }
  }
}

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
