/** Triggers refuse changes and deletions, and a foreign key refuses gaps. */
import type { Hash } from '@keelson/primitives'
import { asc, desc, gte } from 'drizzle-orm'
import type { Database } from '../../storage/database.ts'
import { auditEntries } from '../../storage/schema/trading.ts'
import type { AuditEntry } from './audit-log.ts'

export type AuditStore = ReturnType<typeof createAuditStore>

export function createAuditStore(db: Database) {
  return {
    async last(): Promise<Pick<AuditEntry, 'seq' | 'hash'> | null> {
      const { seq, hash } = auditEntries
      const [row] = await db.select({ seq, hash }).from(auditEntries).orderBy(desc(seq)).limit(1)
      return row === undefined ? null : { seq: row.seq, hash: row.hash as Hash }
    },
    async append({ atMs, ...entry }: AuditEntry): Promise<boolean> {
      const insert = db.insert(auditEntries).values({ ...entry, at: new Date(atMs) })
      return (await insert.onConflictDoNothing({ target: auditEntries.seq }).returning({ seq: auditEntries.seq })).length > 0
    },
    async read(fromSeq: number, limit: number): Promise<readonly AuditEntry[]> {
      const rows = await db.select().from(auditEntries).where(gte(auditEntries.seq, fromSeq)).orderBy(asc(auditEntries.seq)).limit(limit)
      return rows.map(({ at, ...entry }) => ({ ...entry, atMs: at.getTime() }) as AuditEntry)
    },
  }
}
