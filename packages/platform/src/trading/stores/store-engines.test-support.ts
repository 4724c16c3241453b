import { createSilentLogger } from '@keelson/runtime'
import { sql } from 'drizzle-orm'
import { emptyDatabase, openTestDatabase } from '../../storage/database.test-support.ts'
import type { Database } from '../../storage/database.ts'
import { migrate } from '../../storage/migrate.ts'
import { MIGRATIONS } from '../../storage/migrations/all.ts'
import { openPostgres } from '../../storage/open-postgres.ts'
import { executions } from '../../storage/schema/trading.ts'
import { createAuditStore } from '../audit/audit-store.ts'
import type { ExecutionRecord } from '../execution/record.ts'
import type { TradingStores } from '../execution/trading-world.test-support.ts'
import { createMemoryStores } from '../memory-stores.test-support.ts'
import { createExecutionStore } from './executions.ts'
import { createQuoteStore } from './quotes.ts'

export interface OpenedEngine {
  readonly db: Database | null
  fresh(): Promise<readonly [TradingStores, TradingStores]>
  records(): Promise<readonly ExecutionRecord[]>
  close(): Promise<void>
}

export interface StoreEngine {
  readonly name: string
  readonly runs: number
  open(): Promise<OpenedEngine>
}

const MEMORY: StoreEngine = {
  name: 'memory',
  runs: 40,
  async open() {
    let stores = createMemoryStores()
    return {
      db: null,
      async fresh() {
        stores = createMemoryStores()
        return [stores, stores]
      },
      records: async () => [...stores.executions.records.values()],
      close: async () => undefined,
    }
  },
}

const EMBEDDED: StoreEngine = {
  name: 'the embedded database',
  runs: 12,
  async open() {
    const db = await openTestDatabase()
    return { db, fresh: () => freshStores(db, db), records: () => recordsIn(db), close: async () => undefined }
  },
}

function server(url: string): StoreEngine {
  return {
    name: 'a PostgreSQL server',
    runs: 25,
    async open() {
      const schema = `keelson_test_${process.pid}`
      const own = new URL(url)
      own.searchParams.set('options', `-c search_path=${schema}`)
      const connect = () => openPostgres({ url: own.href, maxConnections: 8 }, createSilentLogger())
      const [one, two] = [await connect(), await connect()]
      await one.db.execute(sql.raw(`create schema ${schema}`))
      await migrate(one.db, MIGRATIONS, new Date(0))
      return {
        db: one.db,
        fresh: () => freshStores(one.db, two.db),
        records: () => recordsIn(one.db),
        async close() {
          await one.db.execute(sql.raw(`drop schema ${schema} cascade`))
          await Promise.all([one.close(), two.close()])
        },
      }
    },
  }
}

const { KEELSON_TEST_DATABASE_URL: serverUrl } = process.env

export const DATABASE_ENGINES: readonly StoreEngine[] = [EMBEDDED, ...(serverUrl === undefined ? [] : [server(serverUrl)])]
export const STORE_ENGINES: readonly StoreEngine[] = [MEMORY, ...DATABASE_ENGINES]

async function freshStores(one: Database, two: Database): Promise<readonly [TradingStores, TradingStores]> {
  await emptyDatabase(one)
  return [storesOver(one), storesOver(two)]
}

async function recordsIn(db: Database): Promise<readonly ExecutionRecord[]> {
  return (await db.select({ record: executions.record }).from(executions)).map(({ record }) => record)
}

export function storesOver(db: Database): TradingStores {
  return { executions: createExecutionStore(db), quotes: createQuoteStore(db), audit: createAuditStore(db) }
}
