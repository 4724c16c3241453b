/** Unused expired quotes are deleted after a grace period, used ones after a day. */
import type { Hash } from '@keelson/primitives'
import { and, eq, isNull, lt, or } from 'drizzle-orm'
import { ApiError } from '../../http/api-error.ts'
import type { EvmInput } from '../../schemas/evm-input.ts'
import type { Quote } from '../../schemas/quote.ts'
import type { Database } from '../../storage/database.ts'
import { quotes } from '../../storage/schema/trading.ts'
import { DAY_MS } from '../policy/policy.ts'
import { isStorable } from './storable-text.ts'

const GRACE_MS = 600_000
/** Chats and tools ask for quotes, too, so the limit is not one of an endpoint. */
const MAX_QUOTES_OF_SESSION = 500

export interface StoredQuote {
  readonly quote: Quote
  readonly sessionId: string
  readonly inputDigest: Hash
  readonly input: EvmInput
  readonly expectedOutUnits: string
  readonly expiresAtMs: number
}

export type QuoteStore = ReturnType<typeof createQuoteStore>

export function createQuoteStore(db: Database) {
  return {
    /** Throws ApiError 429 for too many. */
    async put({ quote, expiresAtMs, ...stored }: StoredQuote): Promise<void> {
      if ((await db.$count(quotes, eq(quotes.sessionId, stored.sessionId))) >= MAX_QUOTES_OF_SESSION)
        throw new ApiError(429, `A session may have ${MAX_QUOTES_OF_SESSION} quotes in ten minutes: use one, or try again later`, {
          headers: { 'retry-after': String(GRACE_MS / 1_000) },
        })
      await db.insert(quotes).values({ ...stored, id: quote.quote_id, quote, expiresAt: new Date(expiresAtMs) })
    },
    async get(quoteId: string): Promise<StoredQuote | null> {
      if (!isStorable(quoteId)) return null
      const [row] = await db.select().from(quotes).where(eq(quotes.id, quoteId))
      if (row === undefined) return null
      const { quote, sessionId, input, expectedOutUnits } = row
      return { quote, sessionId, input, expectedOutUnits, inputDigest: row.inputDigest as Hash, expiresAtMs: row.expiresAt.getTime() }
    },
    /** True for the first execution, also when it asks again. */
    async consume(quoteId: string, executionId: string): Promise<boolean> {
      if (!isStorable(quoteId)) return false
      const taken = await db
        .update(quotes)
        .set({ consumedBy: executionId })
        .where(and(eq(quotes.id, quoteId), or(isNull(quotes.consumedBy), eq(quotes.consumedBy, executionId))))
        .returning({ id: quotes.id })
      return taken.length > 0
    },
    async deleteExpired(beforeMs: number): Promise<void> {
      const unused = and(isNull(quotes.consumedBy), lt(quotes.expiresAt, new Date(beforeMs - GRACE_MS)))
      await db.delete(quotes).where(or(unused, lt(quotes.expiresAt, new Date(beforeMs - DAY_MS))))
    },
  }
}
