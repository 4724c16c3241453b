/** A process to kill: it writes rows and prints each one's number. Argument: data directory. */
import { createSilentLogger, createSystemClock } from '@keelson/runtime'
import { openDatabase } from './open-database.ts'
import { users } from './schema/auth.ts'

const { db } = await openDatabase(
  { dataDir: process.argv[2] as string, databaseUrl: null, maxConnections: 1 },
  { clock: createSystemClock(), log: createSilentLogger() },
)
for (let i = 0; ; i++) {
  await db.insert(users).values({ email: `user-${i}@example.org`, passwordHash: 'x'.repeat(100), createdAt: new Date(i) })
  process.stdout.write(`${i}\n`)
}
