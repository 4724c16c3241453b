/** Records are JSON text, because jsonb refuses some strings. No foreign key refers to users or sessions. */
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, json, numeric, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import type { EvmInput } from '../../schemas/evm-input.ts'
import type { Quote } from '../../schemas/quote.ts'
import type { AuditEntry } from '../../trading/audit/audit-log.ts'
import type { ExecutionRecord, ExecutionState } from '../../trading/execution/record.ts'

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' }).notNull()
const integer64 = (name: string) => bigint(name, { mode: 'number' })

export const executions = pgTable(
  'executions',
  {
    seq: integer64('seq').generatedAlwaysAsIdentity().unique(),
    id: text('id').primaryKey(),
    userId: integer64('user_id').notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    keyHeld: boolean('key_held').notNull(),
    wallet: text('wallet').notNull(),
    chainId: integer64('chain_id').notNull(),
    state: text('state').$type<ExecutionState>().notNull(),
    version: integer('version').notNull(),
    reservedUsd: numeric('reserved_usd'),
    /** Order of signing; null for unsigned executions. */
    signedOrder: integer64('signed_order'),
    createdAt: at('created_at'),
    record: json('record').$type<ExecutionRecord>().notNull(),
  },
  (table) => [
    uniqueIndex('executions_key_unique').on(table.userId, table.idempotencyKey).where(sql`key_held`),
    uniqueIndex('executions_signed_unique').on(table.wallet, table.chainId).where(sql`state = 'signed'`),
    index('executions_last_signed_idx').on(table.wallet, table.chainId, table.signedOrder).where(sql`signed_order is not null`),
    index('executions_unfinished_idx').on(table.createdAt, table.seq).where(sql`state in ('accepted', 'signed')`),
    index('executions_spent_idx').on(table.wallet, table.createdAt).where(sql`reserved_usd is not null`),
  ],
)

export const quotes = pgTable(
  'quotes',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id').notNull(),
    inputDigest: text('input_digest').notNull(),
    input: json('input').$type<EvmInput>().notNull(),
    quote: json('quote').$type<Quote>().notNull(),
    expectedOutUnits: text('expected_out_units').notNull(),
    expiresAt: at('expires_at'),
    consumedBy: text('consumed_by'),
  },
  (table) => [index('quotes_expiry_idx').on(table.expiresAt)],
)

export const auditEntries = pgTable(
  'audit_entries',
  {
    seq: integer64('seq').primaryKey(),
    at: at('at'),
    executionId: text('execution_id').notNull(),
    userId: integer64('user_id').notNull(),
    event: text('event').notNull(),
    data: json('data').$type<AuditEntry['data']>().notNull(),
    previousHash: text('previous_hash').notNull(),
    hash: text('hash').notNull(),
  },
  (table) => [index('audit_entries_execution_idx').on(table.executionId, table.seq)],
)
