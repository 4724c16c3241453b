/**
 * The audit log in the database. Nothing here changes or deletes an entry; triggers of the table refuse both, and a
 * foreign key refuses an entry that does not follow the one before.
 */
import type { Hash } from '@keelson/primitives'
import { asc, desc, gte } from 'drizzle-orm'
import type { Database } from '../../storage/database.ts'
import { auditEntries } from '../../storage/schema/trading.ts'
import type { AuditStore } from '../audit/audit-log.ts'

/** Throws what the database throws. */
export function createAuditStore(db: Database): AuditStore {
  return {
    async last() {
      const [row] = await db
        .select({ seq: auditEntries.seq, hash: auditEntries.hash })
        .from(auditEntries)
        .orderBy(desc(auditEntries.seq))
        .limit(1)
      return row === undefined ? null : { seq: row.seq, hash: row.hash as Hash }
    },
    async append({ atMs, ...entry }) {
      const written = await db
        .insert(auditEntries)
        .values({ ...entry, at: new Date(atMs) })
        .onConflictDoNothing({ target: auditEntries.seq })
        .returning({ seq: auditEntries.seq })
      return written.length > 0
    },
    async read(fromSeq, limit) {
      const rows = await db.select().from(auditEntries).where(gte(auditEntries.seq, fromSeq)).orderBy(asc(auditEntries.seq)).limit(limit)
      return rows.map(({ at, previousHash, hash, ...entry }) => ({
        ...entry,
        atMs: at.getTime(),
        previousHash: previousHash as Hash,
        hash: hash as Hash,
      }))
    },
  }
}
