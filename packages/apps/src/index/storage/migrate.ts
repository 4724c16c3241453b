import type { Hash } from '@keelson/primitives'
import { hexToBytes, toHash } from '@keelson/primitives'
import { IndexError } from '../index-error.ts'
import type { Database, Sql } from './database.ts'
import { MIGRATIONS } from './migrations.ts'

/** The first 48 bits of "keelson" in ASCII. */
const LOCK_KEY = 0x6b65656c736f

export interface ChainIdentity {
  readonly chainId: bigint
  readonly genesisHash: Hash
}

/** Throws IndexError `apps/index-storage-version` or `apps/index-other-chain`. */
export async function prepareDatabase(db: Database, identity: ChainIdentity): Promise<void> {
  await db.transaction(async (sql) => {
    await sql.query(`select pg_advisory_xact_lock(${LOCK_KEY})`)
    await migrate(sql)
    await claim(sql, identity)
  })
}

async function migrate(sql: Sql): Promise<void> {
  await sql.query('create table if not exists schema_versions (version integer primary key)')
  const [row] = await sql.query<{ version: number | null }>('select max(version) as version from schema_versions')
  const from = row?.version ?? 0
  if (from > MIGRATIONS.length) {
    throw new IndexError(
      'apps/index-storage-version',
      'critical',
      `the database has schema version ${from}, and this release has ${MIGRATIONS.length}: run the newer release`,
    )
  }
  for (const [i, statements] of MIGRATIONS.entries()) {
    if (i < from) continue
    for (const statement of statements) await sql.query(statement)
    await sql.query('insert into schema_versions (version) values ($1)', [i + 1])
  }
}

async function claim(sql: Sql, { chainId, genesisHash }: ChainIdentity): Promise<void> {
  await sql.query('insert into chain (id, chain_id, genesis_hash) values (1, $1, $2) on conflict do nothing', [
    chainId.toString(),
    hexToBytes(genesisHash),
  ])
  const [row] = await sql.query<{ chain_id: string; genesis_hash: Uint8Array }>('select chain_id, genesis_hash from chain')
  const found = row === undefined ? null : toHash(new Uint8Array(row.genesis_hash))
  if (row?.chain_id === chainId.toString() && found === genesisHash) return
  throw new IndexError(
    'apps/index-other-chain',
    'critical',
    `the database is of chain ${row?.chain_id} with genesis ${found}; expected chain ${chainId} with genesis ${genesisHash}: ` +
      'give another --database-url or --data-dir',
  )
}
