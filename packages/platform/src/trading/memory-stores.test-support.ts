/** Stores of trading in memory, which outlive the desks over them as a database would. */
import type { AuditEntry, AuditStore } from './audit/audit-log.ts'
import type { QuoteStore, StoredQuote } from './quote/quote-store.ts'

export interface MemoryQuoteStore extends QuoteStore {
  readonly size: number
}

export function createMemoryQuoteStore(): MemoryQuoteStore {
  const quotes = new Map<string, StoredQuote>()
  const users = new Map<string, string>()
  return {
    get size() {
      return quotes.size
    },
    put: async (stored) => void quotes.set(stored.quote.quote_id, structuredClone(stored)),
    get: async (quoteId) => quotes.get(quoteId) ?? null,
    async consume(quoteId, executionId) {
      const user = users.get(quoteId) ?? executionId
      users.set(quoteId, user)
      return user === executionId
    },
    async deleteExpired(beforeMs) {
      for (const [id, { expiresAtMs }] of quotes) if (expiresAtMs < beforeMs) quotes.delete(id)
    },
  }
}

export interface MemoryAuditStore extends AuditStore {
  readonly entries: AuditEntry[]
}

export function createMemoryAuditStore(): MemoryAuditStore {
  const entries: AuditEntry[] = []
  return {
    entries,
    last: async () => entries.at(-1) ?? null,
    async append(entry) {
      if (entry.seq !== entries.length + 1) return false
      entries.push(structuredClone(entry))
      return true
    },
    read: async (fromSeq, limit) => entries.filter(({ seq }) => seq >= fromSeq).slice(0, limit),
  }
}
