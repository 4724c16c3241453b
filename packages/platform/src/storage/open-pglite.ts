/** Takes a lock, because two processes with the same files would silently corrupt them. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@keelson/primitives'
import { type LevelStore, openLevelStore, RuntimeError } from '@keelson/runtime'
import { drizzle } from 'drizzle-orm/pglite'
import { PlatformError } from '../platform-error.ts'
import { createPgliteFiles } from './create-pglite.ts'
import type { Database, OpenedDatabase } from './database.ts'

export async function openPglite(dataDir: string): Promise<OpenedDatabase> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const lock = await takeLock(dataDir)
  try {
    const { PGlite } = await import('@electric-sql/pglite')
    const files = join(dataDir, 'pgdata')
    await createPgliteFiles(files)
    const client = await PGlite.create(files)
    let closed = false
    return {
      db: drizzle(client) as unknown as Database,
      engine: 'pglite',
      isLeader: async () => true,
      async trouble() {
        if (closed) return 'it is closed'
        try {
          await client.query('select 1')
          return null
        } catch (error) {
          return messageOf(error)
        }
      },
      async close() {
        if (closed) return
        closed = true
        await client.close().finally(() => lock.close())
      },
    }
  } catch (error) {
    await lock.close()
    throw new PlatformError(
      'platform/storage-open',
      `the database in ${dataDir} cannot be opened (${messageOf(error)}): check the owner of the folder and the free disk space`,
      { dataDir },
      { cause: error },
    )
  }
}

async function takeLock(dataDir: string): Promise<LevelStore> {
  try {
    return await openLevelStore({ directory: join(dataDir, 'lock'), cacheBytes: 1024, writeBufferBytes: 64 * 1024 })
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== 'runtime/store-locked') throw error
    throw new PlatformError(
      'platform/storage-locked',
      `the database in ${dataDir} is in use by ${error.details.holder}, and two would corrupt it: stop that program, ` +
        'give this one its own data directory, or share a PostgreSQL server with DATABASE_URL',
      { dataDir },
      { cause: error },
    )
  }
}
