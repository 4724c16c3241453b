/** A process for tests to kill: it completes every second answer and prints what is stored. Argument: data directory. */
import { createSilentLogger, createSystemClock } from '@keelson/runtime'
import { openDatabase } from '../storage/open-database.ts'
import { sessions, users } from '../storage/schema/auth.ts'
import { ChatStore } from './chat-store.ts'
import { ChatTurns } from './chat-turns.ts'
import { NO_HANDOVER } from './turn-handover.ts'

const clock = createSystemClock()
const log = createSilentLogger()
const { db } = await openDatabase({ dataDir: process.argv[2] as string, databaseUrl: null, maxConnections: 1 }, { clock, log })
const agent = {
  name: 'scripted',
  async *answer({ caller }: { caller: { userId: number } }) {
    yield 'the first half, '
    if (caller.userId % 2 === 0) await new Promise(() => undefined)
    yield 'and the second'
  },
}
const turns = new ChatTurns({ agent, store: new ChatStore(db), handover: NO_HANDOVER, clock, log })
for (let userId = 1; ; userId++) {
  const createdAt = new Date(0)
  const sessionId = `00000000-0000-4000-8000-${String(userId).padStart(12, '0')}`
  await db.insert(users).values({ email: `${userId}@example.org`, passwordHash: '-', createdAt })
  await db.insert(sessions).values({ id: sessionId, userId, name: '', createdAt })
  const sent = [{ role: 'user' as const, content: `question ${userId}` }]
  const { ended } = await turns.begin({ userId, sessionId }, sent, { streamed: true })
  process.stdout.write(`${sessionId} asked ${userId}\n`)
  if (userId % 2 === 0) continue
  await ended
  process.stdout.write(`${sessionId} answered ${userId}\n`)
}
