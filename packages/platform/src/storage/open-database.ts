import type { Clock, Logger } from '@keelson/primitives'
import type { OpenedDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations/all.ts'
import { openPglite } from './open-pglite.ts'
import { openPostgres } from './open-postgres.ts'

export interface DatabaseOptions {
  readonly dataDir: string
  readonly databaseUrl: string | null
  readonly maxConnections: number
}

/** Throws PlatformError `platform/storage-locked`, `platform/storage-open` or `platform/storage-migrations`. */
export async function openDatabase(
  { dataDir, databaseUrl, maxConnections }: DatabaseOptions,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<OpenedDatabase> {
  const opened = databaseUrl === null ? await openPglite(dataDir) : await openPostgres({ url: databaseUrl, maxConnections }, log)
  try {
    const { applied, version } = await migrate(opened.db, MIGRATIONS, new Date(clock.nowMs()))
    log.info('database open', { engine: opened.engine, version, migrations: applied.length })
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}
