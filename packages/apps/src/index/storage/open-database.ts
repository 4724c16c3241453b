import type { Logger } from '@keelson/primitives'
import type { Database } from './database.ts'
import { type ChainIdentity, prepareDatabase } from './migrate.ts'
import { openPglite } from './open-pglite.ts'
import { openPostgres } from './open-postgres.ts'

export interface DatabaseOptions {
  readonly dataDir: string
  readonly databaseUrl: string | null
  readonly maxConnections: number
}

/** Throws IndexError. */
export async function openIndexDatabase(options: DatabaseOptions, identity: ChainIdentity, log: Logger): Promise<Database> {
  const { dataDir, databaseUrl, maxConnections } = options
  const db = databaseUrl === null ? await openPglite(dataDir) : await openPostgres({ url: databaseUrl, maxConnections }, log)
  try {
    await prepareDatabase(db, identity)
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}
