import { and, asc, eq } from 'drizzle-orm'
import { type Database, violatedConstraint } from '../storage/database.ts'
import { sessions, users } from '../storage/schema/auth.ts'

export interface SessionRecord {
  readonly id: string
  readonly name: string
}

export type UserStore = ReturnType<typeof createUserStore>

export const MAX_SESSIONS_OF_USER = 1_000

export function createUserStore(db: Database) {
  const own = (id: string, userId: number) => and(eq(sessions.id, id), eq(sessions.userId, userId))
  return {
    /** Returns null when the email address is taken. */
    async addUser(email: string, passwordHash: string, atMs: number) {
      try {
        const [row] = await db
          .insert(users)
          .values({ email, passwordHash, createdAt: new Date(atMs) })
          .returning({ id: users.id })
        return row ?? null
      } catch (error) {
        if (violatedConstraint(error) === 'users_email_unique') return null
        throw error
      }
    },
    async findUser(email: string) {
      const [row] = await db.select({ id: users.id, passwordHash: users.passwordHash }).from(users).where(eq(users.email, email)).limit(1)
      return row ?? null
    },
    async hasUser(id: number) {
      return (await db.select({ id: users.id }).from(users).where(eq(users.id, id)).limit(1)).length > 0
    },
    async findEmail(id: number) {
      const [row] = await db.select({ email: users.email }).from(users).where(eq(users.id, id)).limit(1)
      return row?.email ?? null
    },
    addSession: (id: string, userId: number, atMs: number) =>
      db.transaction(async (transaction): Promise<'added' | 'no-user' | 'too-many'> => {
        // locks the user's row while sessions are counted
        const [owner] = await transaction.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update')
        if (owner === undefined) return 'no-user'
        if ((await transaction.$count(sessions, eq(sessions.userId, userId))) >= MAX_SESSIONS_OF_USER) return 'too-many'
        await transaction.insert(sessions).values({ id, userId, name: '', createdAt: new Date(atMs) })
        return 'added'
      }),
    sessionsOf: (userId: number) =>
      db
        .select({ id: sessions.id, name: sessions.name })
        .from(sessions)
        .where(eq(sessions.userId, userId))
        .orderBy(asc(sessions.createdAt), asc(sessions.id)),
    async findSession(id: string, userId: number) {
      const [row] = await db.select({ id: sessions.id, name: sessions.name }).from(sessions).where(own(id, userId)).limit(1)
      return row ?? null
    },
    async hasSession(id: string, userId: number) {
      return (await db.select({ id: sessions.id }).from(sessions).where(own(id, userId)).limit(1)).length > 0
    },
    async renameSession(id: string, userId: number, name: string) {
      const [row] = await db.update(sessions).set({ name }).where(own(id, userId)).returning({ id: sessions.id, name: sessions.name })
      return row ?? null
    },
    async deleteSession(id: string, userId: number) {
      return (await db.delete(sessions).where(own(id, userId)).returning({ id: sessions.id })).length > 0
    },
  }
}
