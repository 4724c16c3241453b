import { bigint, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { sessions } from './auth.ts'

export const chats = pgTable('chats', {
  sessionId: uuid('session_id')
    .primaryKey()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  /** Never decreases, even when messages are deleted. */
  lastOrdinal: bigint('last_ordinal', { mode: 'number' }).notNull(),
  turn: bigint('turn', { mode: 'number' }),
  turnUntil: timestamp('turn_until', { withTimezone: true, mode: 'date' }),
})

export const messages = pgTable(
  'messages',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => chats.sessionId, { onDelete: 'cascade' }),
    ordinal: bigint('ordinal', { mode: 'number' }).notNull(),
    role: text('role').$type<'user' | 'assistant'>().notNull(),
    content: text('content').notNull(),
    failure: text('failure'),
    createdAt: timestamp('created_at', { withTimezone: true, mode: 'date' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.ordinal] })],
)
