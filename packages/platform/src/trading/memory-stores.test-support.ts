import { Decimal } from '../market/decimal.ts'
import type { AuditEntry } from './audit/audit-log.ts'
import type { AuditStore } from './audit/audit-store.ts'
import { type ExecutionRecord, isFinished } from './execution/record.ts'
import type { ExecutionStore } from './stores/executions.ts'
import type { QuoteStore, StoredQuote } from './stores/quotes.ts'

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

export interface MemoryExecutionStore extends ExecutionStore {
  readonly records: ReadonlyMap<string, ExecutionRecord>
}

export function createMemoryExecutionStore(): MemoryExecutionStore {
  const records = new Map<string, ExecutionRecord>()
  const signedOrder: string[] = []
  const all = () => [...records.values()]
  const counted = (wallet: string, sinceMs: number, exceptId: string) =>
    all()
      .filter(({ id, createdAtMs, state }) => id !== exceptId && createdAtMs > sinceMs && state !== 'refused' && state !== 'failed')
      .filter((record) => record.wallet === wallet && record.reservedUsd !== null)
      .sort((a, b) => a.createdAtMs - b.createdAtMs)
  const sum = (of: readonly ExecutionRecord[]) => of.reduce((usd, { reservedUsd }) => usd.plus(reservedUsd ?? 0), new Decimal(0))
  const spent = (wallet: string, sinceMs: number, exceptId: string) => sum(counted(wallet, sinceMs, exceptId))
  const lastSignedId = (wallet: string, chainId: number) =>
    signedOrder.findLast((id) => records.get(id)?.wallet === wallet && records.get(id)?.chainId === chainId)
  const put = (record: ExecutionRecord) => records.set(record.id, JSON.parse(JSON.stringify(record)))
  const holder = (userId: number, key: string, sinceMs: number) =>
    all().findLast(
      (other) => other.userId === userId && other.idempotencyKey === key && (other.createdAtMs > sinceMs || !isFinished(other)),
    )
  return {
    records,
    async open(record, keyHeldSinceMs) {
      const held = holder(record.userId, record.idempotencyKey, keyHeldSinceMs)
      if (held === undefined) put(record)
      return held ?? record
    },
    holder: async (userId, key, keyHeldSinceMs) => holder(userId, key, keyHeldSinceMs) ?? null,
    get: async (id) => records.get(id) ?? null,
    async save(record, guard, after) {
      if (records.get(record.id)?.version !== record.version - 1) return 'stale'
      const { wallet, chainId, id } = record
      if (after !== undefined && (lastSignedId(wallet, chainId) ?? null) !== after) return 'wallet-busy'
      const isOther = (other: ExecutionRecord) => other.id !== id && other.wallet === wallet && other.chainId === chainId
      if (record.state === 'signed' && all().some((other) => isOther(other) && other.state === 'signed')) return 'wallet-busy'
      if (
        guard !== undefined &&
        spent(wallet, guard.sinceMs, id)
          .plus(record.reservedUsd ?? 0)
          .gt(guard.maxUsd)
      )
        return 'over-cap'
      if (record.state === 'signed' && !signedOrder.includes(id)) signedOrder.push(id)
      put(record)
      return 'saved'
    },
    unfinished: async (limit) =>
      all()
        .filter((record) => !isFinished(record))
        .slice(0, limit),
    async lastSigned(wallet, chainId) {
      const id = lastSignedId(wallet, chainId)
      return id === undefined ? null : (records.get(id) ?? null)
    },
    spentUsd: async (wallet, sinceMs, exceptId) => spent(wallet, sinceMs, exceptId),
    async capUse(wallet, sinceMs, exceptId, roomUsd) {
      const of = counted(wallet, sinceMs, exceptId)
      const last = of.find((_, i) => sum(of.slice(i + 1)).lte(roomUsd))
      return {
        spentUsd: sum(of),
        unfinishedUsd: sum(of.filter((record) => !isFinished(record))),
        freeAfterMs: last?.createdAtMs ?? null,
      }
    },
    gasSpentWei: async (wallet, chainId, sinceMs) =>
      all()
        .filter((record) => record.wallet === wallet && record.chainId === chainId && record.createdAtMs > sinceMs)
        .filter(({ reservedUsd }) => reservedUsd !== null)
        .reduce((sum, { settlement }) => sum + BigInt(settlement?.feeWei ?? 0), 0n),
  }
}

export interface MemoryStores {
  readonly executions: MemoryExecutionStore
  readonly quotes: MemoryQuoteStore
  readonly audit: MemoryAuditStore
}

export function createMemoryStores(): MemoryStores {
  return { executions: createMemoryExecutionStore(), quotes: createMemoryQuoteStore(), audit: createMemoryAuditStore() }
}
