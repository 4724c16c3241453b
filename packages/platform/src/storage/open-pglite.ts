/**
 * The embedded database: Postgres inside this process, its files in the data directory. Two processes that open the same
 * files destroy each other's rows without a word, so a lock of the operating system is taken first; it goes with its process.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type LevelStore, openLevelStore, RuntimeError } from '@keelson/runtime'
import { drizzle } from 'drizzle-orm/pglite'
import { PlatformError } from '../platform-error.ts'
import { createPgliteFiles } from './create-pglite.ts'
import type { Database, OpenedDatabase } from './database.ts'

/** Throws PlatformError `platform/storage-locked` or `platform/storage-open`. */
export async function openPglite(dataDir: string): Promise<OpenedDatabase> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const lock = await takeLock(dataDir)
  try {
    // loaded when needed: with a server elsewhere this process stays without it
    const { PGlite } = await import('@electric-sql/pglite')
    const files = join(dataDir, 'pgdata')
    await createPgliteFiles(files)
    const client = await PGlite.create(files)
    let closed = false
    return {
      db: drizzle(client) as unknown as Database,
      engine: 'pglite',
      async trouble() {
        if (closed) return 'it is closed'
        try {
          await client.query('select 1')
          return null
        } catch (error) {
          return error instanceof Error ? error.message : String(error)
        }
      },
      async close() {
        if (closed) return
        closed = true
        // the lock last: the files are being written until then
        await client.close().finally(() => lock.close())
      },
    }
  } catch (error) {
    await lock.close()
    throw new PlatformError(
      'platform/storage-open',
      `the database in ${dataDir} cannot be opened (${error instanceof Error ? error.message : String(error)}): ` +
        'check the owner of the folder and the free space of the disk',
      { dataDir },
      { cause: error },
    )
  }
}

/** LevelDB's own lock file: one process at a time, and also one opening within a process. */
async function takeLock(dataDir: string): Promise<LevelStore> {
  try {
    return await openLevelStore({ directory: join(dataDir, 'lock'), cacheBytes: 1024, writeBufferBytes: 64 * 1024 })
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== 'runtime/store-locked') throw error
    throw new PlatformError(
      'platform/storage-locked',
      `the database in ${dataDir} is in use by another process, and two would destroy each other's rows: stop that process, ` +
        'give this one a data directory of its own, or let several share a PostgreSQL server by DATABASE_URL',
      { dataDir },
      { cause: error },
    )
  }
}
