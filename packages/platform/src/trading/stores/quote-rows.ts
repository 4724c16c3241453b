/**
 * Quotes in the database, shared by all servers. Expired quotes are deleted: unused ones after a grace period for requests
 * in progress, used ones after a day.
 */
import type { Hash } from '@keelson/primitives'
import { and, eq, isNull, lt, or } from 'drizzle-orm'
import type { Database } from '../../storage/database.ts'
import { quotes } from '../../storage/schema/trading.ts'
import { DAY_MS } from '../policy/policy.ts'
import type { QuoteStore } from '../quote/quote-store.ts'
import { isStorable } from './storable-text.ts'

const GRACE_MS = 600_000

/** Throws what the database throws. */
export function createQuoteRows(db: Database): QuoteStore {
  return {
    async put({ quote, sessionId, inputDigest, input, expectedOutUnits, expiresAtMs }) {
      const expiresAt = new Date(expiresAtMs)
      await db.insert(quotes).values({ id: quote.quote_id, sessionId, inputDigest, input, quote, expectedOutUnits, expiresAt })
    },
    async get(quoteId) {
      if (!isStorable(quoteId)) return null
      const [row] = await db.select().from(quotes).where(eq(quotes.id, quoteId))
      if (row === undefined) return null
      const { quote, sessionId, input, expectedOutUnits } = row
      return { quote, sessionId, input, expectedOutUnits, inputDigest: row.inputDigest as Hash, expiresAtMs: row.expiresAt.getTime() }
    },
    /** Returns false also for a deleted quote. */
    async consume(quoteId, executionId) {
      if (!isStorable(quoteId)) return false
      const taken = await db
        .update(quotes)
        .set({ consumedBy: executionId })
        .where(and(eq(quotes.id, quoteId), or(isNull(quotes.consumedBy), eq(quotes.consumedBy, executionId))))
        .returning({ id: quotes.id })
      return taken.length > 0
    },
    async deleteExpired(beforeMs) {
      const unused = and(isNull(quotes.consumedBy), lt(quotes.expiresAt, new Date(beforeMs - GRACE_MS)))
      await db.delete(quotes).where(or(unused, lt(quotes.expiresAt, new Date(beforeMs - DAY_MS))))
    },
  }
}
