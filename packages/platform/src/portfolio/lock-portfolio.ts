/** Whatever changes a user's books does so alone: the user's row is the lock, held until the transaction ends. */
import { eq } from 'drizzle-orm'
import { unauthorized } from '../http/api-error.ts'
import type { Database } from '../storage/database.ts'
import { users } from '../storage/schema/auth.ts'

/** Throws ApiError 401 when the user was deleted meanwhile. */
export async function lockPortfolio(transaction: Database, userId: number): Promise<void> {
  const [owner] = await transaction.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  if (owner === undefined) throw unauthorized('Invalid or expired token: log in again')
}
