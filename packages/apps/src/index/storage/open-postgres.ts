import { type Logger, messageOf } from '@keelson/primitives'
import { createElection, maskUrl, RuntimeError } from '@keelson/runtime'
import pg from 'pg'
import { IndexError } from '../index-error.ts'
import type { Database, Sql, SqlValue } from './database.ts'

export interface PostgresOptions {
  readonly url: string
  readonly maxConnections: number
}

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 60_000
const IDLE_TIMEOUT_MS = 30_000
const INT8 = 20
/** The bytes of "index" in ASCII. */
const WRITER_LOCK = 0x696e646578

const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : (pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown),
}

export async function openPostgres({ url, maxConnections }: PostgresOptions, log: Logger): Promise<Database> {
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'keelson-index',
    types: TYPES as pg.CustomTypesConfig,
  }
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
  })
  const lost = (error: Error) => log.warn('PostgreSQL connection lost', { error: (error as { code?: string }).code ?? error.name })
  // Without a listener, the error of an idle connection ends the process.
  pool.on('error', lost)
  const trouble = async () => {
    try {
      await pool.query('select 1')
      return null
    } catch (error) {
      return (error as { code?: string }).code ?? messageOf(error)
    }
  }
  const reason = await trouble()
  if (reason !== null) {
    await pool.end()
    throw new IndexError(
      'apps/index-storage-open',
      'critical',
      `PostgreSQL at ${maskUrl(url)} does not respond (${reason}): check --database-url and that the server is running`,
    )
  }
  const election = createElection({
    lock: WRITER_LOCK,
    open: () => new pg.Client({ ...connection, query_timeout: STATEMENT_TIMEOUT_MS + CONNECT_TIMEOUT_MS }),
    log,
  })
  return {
    engine: 'postgres',
    query: async <R>(text: string, params: readonly SqlValue[] = []) => rowsOf<R>(await pool.query(text, [...params])),
    async transaction(run) {
      const client = await pool.connect()
      let broken: Error | undefined
      try {
        await client.query('begin')
        const sql: Sql = {
          query: async <R>(text: string, params: readonly SqlValue[] = []) => rowsOf<R>(await client.query(text, [...params])),
        }
        const result = await run(sql)
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback').catch((failed: Error) => {
          broken = failed
        })
        throw error
      } finally {
        client.release(broken)
      }
    },
    async write(run) {
      if (election.lead === null) throw new RuntimeError('runtime/not-leader', 'another process writes the index')
      return election.lead.transaction((query) => run({ query }))
    },
    isWriter: async () => (await election.campaign()) !== null,
    trouble,
    async close() {
      await election.withdraw()
      await pool.end()
    },
  }
}

function rowsOf<R>({ rows }: { readonly rows: readonly unknown[] }): readonly R[] {
  return rows as readonly R[]
}
