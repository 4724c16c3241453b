import { randomBytes } from 'node:crypto'
import { createSilentLogger } from '@keelson/runtime'
import pg from 'pg'
import type { Database } from '../../../packages/apps/src/index/storage/database.ts'
import { openMemoryPglite } from '../../../packages/apps/src/index/storage/open-pglite.ts'
import { openPostgres } from '../../../packages/apps/src/index/storage/open-postgres.ts'

export interface IndexEngine {
  readonly name: string
  /** Two databases of their own, each empty. */
  open(): Promise<{ readonly first: Database; readonly second: Database; close(): Promise<void> }>
}

const EMBEDDED: IndexEngine = {
  name: 'the embedded database',
  async open() {
    const [first, second] = [await openMemoryPglite(), await openMemoryPglite()]
    return { first, second, close: () => Promise.all([first.close(), second.close()]).then(() => undefined) }
  },
}

export interface OwnDatabase {
  connect(): Promise<Database>
  drop(): Promise<void>
}

export async function createOwnDatabase(serverUrl: string): Promise<OwnDatabase> {
  const name = `keelson_index_${randomBytes(6).toString('hex')}`
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await run(`create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    connect: () => openPostgres({ url: url.href, maxConnections: 4 }, createSilentLogger()),
    drop: () => run(`drop database ${name} with (force)`),
  }
}

function server(url: string): IndexEngine {
  return {
    name: 'a PostgreSQL server',
    async open() {
      const [one, two] = [await createOwnDatabase(url), await createOwnDatabase(url)]
      const [first, second] = [await one.connect(), await two.connect()]
      return {
        first,
        second,
        async close() {
          await Promise.all([first.close(), second.close()])
          await Promise.all([one.drop(), two.drop()])
        },
      }
    },
  }
}

/** A PostgreSQL server and a role that may create databases. */
const { KEELSON_TEST_DATABASE_URL: serverUrl } = process.env

export const SERVER_URLS: readonly string[] = serverUrl === undefined || serverUrl === '' ? [] : [serverUrl]
export const INDEX_ENGINES: readonly IndexEngine[] = [EMBEDDED, ...SERVER_URLS.map(server)]
