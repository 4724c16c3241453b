/** Serializes changes to a user's portfolio by a lock on the user's row, held until the transaction ends. */
import { eq } from 'drizzle-orm'
import { unauthorized } from '../http/api-error.ts'
import type { Database } from '../storage/database.ts'
import { users } from '../storage/schema/auth.ts'

/** Throws ApiError 401 for a deleted user. */
export async function lockPortfolio(transaction: Database, userId: number): Promise<void> {
  const [owner] = await transaction.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  if (owner === undefined) throw unauthorized('Invalid or expired token: log in again')
}
