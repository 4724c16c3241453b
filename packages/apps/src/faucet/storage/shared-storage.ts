/** The database that several faucets share: their election, their tables, and who leads. */
import type { Hash, Logger } from '@keelson/primitives'
import { createElection, type Election, type Lead } from '@keelson/runtime'
import pg from 'pg'
import { FaucetError } from '../faucet-error.ts'

export interface ChainIdentity {
  readonly chainId: bigint
  readonly genesisHash: Hash
}

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 10_000
/** The bytes of "faucet" in ASCII. */
const LOCK = 0x666175636574

/** Uses one connection. */
export function openFaucetElection(url: string, log: Logger): Election {
  const open = () =>
    new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS + CONNECT_TIMEOUT_MS,
      application_name: 'keelson-faucet',
    })
  return createElection({ lock: LOCK, open, log })
}

/** Creates the tables; only the leader may. Throws FaucetError `apps/faucet-other-chain`. */
export async function prepareFaucetTables(lead: Lead, { chainId, genesisHash }: ChainIdentity): Promise<void> {
  const mine = `chain ${chainId} with genesis ${genesisHash}`
  const found = await lead.transaction(async (query) => {
    await query('create table if not exists faucet_records (key bytea primary key, value bytea not null)')
    await query('create table if not exists faucet_facts (name text primary key, value text not null)')
    await query("insert into faucet_facts values ('chain', $1) on conflict do nothing", [mine])
    const [row] = await query<{ value: string }>("select value from faucet_facts where name = 'chain'")
    return row?.value
  })
  if (found === mine) return
  throw new FaucetError('apps/faucet-other-chain', `the database has the claims of ${found}; expected ${mine}: give another --database-url`)
}

export async function announceLeader(lead: Lead, url: string): Promise<void> {
  await lead.transaction((query) =>
    query("insert into faucet_facts values ('leader', $1) on conflict (name) do update set value = excluded.value", [url]),
  )
}

/** The URL of the instance that led last; null before the first. */
export async function findLeader({ query }: Pick<Election, 'query'>): Promise<string | null> {
  const [table] = await query<{ name: string | null }>("select to_regclass('faucet_facts')::text as name")
  if (table?.name == null) return null
  const [row] = await query<{ value: string }>("select value from faucet_facts where name = 'leader'")
  return row?.value ?? null
}
