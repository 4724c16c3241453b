import { type Logger, messageOf } from '@keelson/primitives'
import { createElection, maskUrl } from '@keelson/runtime'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Client, Pool } from 'pg'
import { PlatformError } from '../platform-error.ts'
import type { Database, OpenedDatabase } from './database.ts'

export interface PostgresOptions {
  readonly url: string
  readonly maxConnections: number
}

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 30_000
const IDLE_TIMEOUT_MS = 30_000
/** The bytes of "agents" in ASCII. */
const LEADER_LOCK = 0x6167656e7473

export async function openPostgres({ url, maxConnections }: PostgresOptions, log: Logger): Promise<OpenedDatabase> {
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'keelson-platform',
  })
  // without a listener, the error of an idle connection ends the process
  pool.on('error', (error) => log.warn('PostgreSQL connection lost', { error: (error as { code?: string }).code ?? error.name }))
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
    throw new PlatformError(
      'platform/storage-open',
      `PostgreSQL at ${maskUrl(url)} does not respond (${reason}): check DATABASE_URL and that the server is running`,
    )
  }
  const open = () =>
    new Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      application_name: 'keelson-platform leader',
    })
  const election = createElection({ lock: LEADER_LOCK, open, log })
  return {
    db: drizzle(pool) as unknown as Database,
    engine: 'postgres',
    isLeader: async () => (await election.campaign()) !== null,
    trouble,
    async close() {
      await election.withdraw()
      await pool.end()
    },
  }
}
