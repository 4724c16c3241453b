/** What was said in a session, and which answer is being given there. */
import { bigint, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { sessions } from './auth.ts'

export const chats = pgTable('chats', {
  sessionId: uuid('session_id')
    .primaryKey()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  /** Never goes back, also when the messages are deleted. */
  lastOrdinal: bigint('last_ordinal', { mode: 'number' }).notNull(),
  /** Ordinal that the answer under way will have; null when there is none. */
  turn: bigint('turn', { mode: 'number' }),
  /** Until when the turn counts as under way, unless whoever gives the answer says so again. */
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
    /** Why an answer ended before its end. */
    failure: text('failure'),
    createdAt: timestamp('created_at', { withTimezone: true, mode: 'date' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.ordinal] })],
)
