/** Takes a lock, because two processes with the same files would corrupt them. */
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@keelson/primitives'
import { type LevelStore, openLevelStore, RuntimeError } from '@keelson/runtime'
import { IndexError } from '../index-error.ts'
import type { Database, Sql } from './database.ts'
import { type PgliteThread, startPgliteThread } from './pglite-thread.ts'

export async function openPglite(dataDir: string): Promise<Database> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const lock = await takeLock(dataDir)
  try {
    const files = join(dataDir, 'pgdata')
    await createFiles(files)
    return databaseOf(await startPgliteThread(files), () => lock.close())
  } catch (error) {
    await lock.close()
    throw new IndexError(
      'apps/index-storage-open',
      'critical',
      `the database in ${dataDir} cannot be opened (${messageOf(error)}): check the owner of the folder and the free disk space`,
      { dataDir },
      { cause: error },
    )
  }
}

export async function openMemoryPglite(): Promise<Database> {
  return databaseOf(await startPgliteThread('memory://'), async () => undefined)
}

/** Creates them beside their place, so that a killed process leaves no half-made database. */
async function createFiles(files: string): Promise<void> {
  if (existsSync(join(files, 'PG_VERSION'))) return
  const unfinished = `${files}.new`
  await rm(unfinished, { recursive: true, force: true })
  await (await startPgliteThread(unfinished)).close()
  await rename(unfinished, files)
}

function databaseOf(thread: PgliteThread, release: () => Promise<void>): Database {
  const query: Sql['query'] = async <R>(text: string, params: Parameters<PgliteThread['query']>[1] = []) =>
    (await thread.query(text, params)) as readonly R[]
  let last: Promise<unknown> = Promise.resolve()
  /** The engine has one session, so a query waits for the transaction of others. */
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const turn = last.then(run, run)
    last = turn.catch(() => undefined)
    return turn
  }
  const transaction: Database['transaction'] = (run) =>
    inTurn(async () => {
      await query('begin')
      try {
        const result = await run({ query })
        await query('commit')
        return result
      } catch (error) {
        await query('rollback')
        throw error
      }
    })
  return {
    engine: 'pglite',
    query: (text, params) => inTurn(() => query(text, params)),
    transaction,
    write: transaction,
    isWriter: async () => true,
    trouble: () =>
      inTurn(() => query('select 1')).then(
        () => null,
        (error: unknown) => messageOf(error),
      ),
    close: () => inTurn(() => thread.close().finally(release)),
  }
}

async function takeLock(dataDir: string): Promise<LevelStore> {
  try {
    return await openLevelStore({ directory: join(dataDir, 'lock'), cacheBytes: 1024, writeBufferBytes: 64 * 1024 })
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== 'runtime/store-locked') throw error
    throw new IndexError(
      'apps/index-storage-locked',
      'critical',
      `the database in ${dataDir} is in use by ${error.details.holder}: stop that program, choose another --data-dir, ` +
        'or share a PostgreSQL server with --database-url',
      { dataDir },
      { cause: error },
    )
  }
}
