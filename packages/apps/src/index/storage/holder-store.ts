/**
 * Who may hold a token, and what its contract said last. Events and the first state only name the pairs: a token may move balances
 * without an event, and its events may lie. `marks` counts the reasons to read a pair again, so that a reading that is older than the
 * newest reason does not settle it.
 */
import { eventTopic } from '@keelson/contracts'
import { type Address, bytesToHex, type Hash, hexToBytes, ZERO_ADDRESS } from '@keelson/primitives'
import type { HeldToken } from '../chain/token-calls.ts'
import type { GenesisTokens } from '../tokens/genesis-tokens.ts'
import type { TokenKind } from '../tokens/token-transfers.ts'
import { bytea } from './block-rows.ts'
import type { Database, Sql, SqlValue } from './database.ts'
import { insertRows } from './insert-rows.ts'
import * as tables from './tables.ts'

export interface UnreadHolding extends HeldToken {
  readonly kind: TokenKind
  readonly marks: number
}

export interface Reading {
  readonly holding: UnreadHolding
  /** Null when the contract does not answer: the sum of the events stays. */
  readonly balance: bigint | null
}

export interface HolderStore {
  /** Whether the pairs of the first state are still to be added. */
  isGenesisUnread(): Promise<boolean>
  addGenesis(found: GenesisTokens, block: number): Promise<void>
  /** Contracts that may be tokens. */
  candidates(limit: number): Promise<readonly Address[]>
  /** Null refuses it. */
  settleCandidate(address: Address, kind: TokenKind | null): Promise<void>
  unread(limit: number): Promise<readonly UnreadHolding[]>
  /** Ids of an EIP-1155 token that events show for a holder; null when there are more than `limit`. */
  idsOf(pair: HeldToken, limit: number): Promise<readonly bigint[] | null>
  settle(readings: readonly Reading[]): Promise<void>
}

/** WETH mints and burns with these alone. Others use them too, so the contract is asked what it is. */
const MINTS = [eventTopic('Deposit(address,uint256)'), eventTopic('Withdrawal(address,uint256)')]
/** Transfers are counted on their own; an approval moves nothing. */
const NO_MOVES = [
  'Transfer(address,address,uint256)',
  'TransferSingle(address,address,address,uint256,uint256)',
  'TransferBatch(address,address,address,uint256[],uint256[])',
  'Approval(address,address,uint256)',
  'ApprovalForAll(address,address,bool)',
].map((event) => eventTopic(event))

const list = (topics: readonly Hash[]) => topics.map((topic) => `'\\x${topic.slice(2)}'::bytea`).join(', ')
const ZEROS = (count: number) => `'\\x${'00'.repeat(count)}'::bytea`
const MARK_AGAIN = `on conflict (token, holder) do update set marks = token_holders.marks + 1, unread = true,
  balance = case when token_holders.is_read then token_holders.balance else excluded.balance end`

/** Marks what the events from a block on name, before these blocks are removed or after they were added. */
export async function markHolders(sql: Sql, fromBlock: number): Promise<void> {
  await sql.query(
    `insert into token_candidates (address, first_block) select address, min(block) from logs
      where block >= $1 and topic0 in (${list(MINTS)}) and topic1 is not null and topic2 is null and data_size = 32
        and not exists (select 1 from tokens where tokens.address = logs.address)
      group by address on conflict do nothing`,
    [fromBlock],
  )
  const transfers =
    'select token, sender as holder from token_transfers where block >= $1 union select token, recipient from token_transfers where block >= $1'
  await sql.query(
    `insert into token_holders (token, holder, balance)
      select touched.token, touched.holder, greatest(coalesce(sums.balance, 0), 0) from (${transfers}) as touched
        left join token_balances sums on sums.token = touched.token and sums.holder = touched.holder
        where touched.holder <> ${ZEROS(20)} ${MARK_AGAIN}`,
    [fromBlock],
  )
  // A number in a topic looks like an address, but a small one.
  await sql.query(
    `insert into token_holders (token, holder, balance)
      select distinct logs.address, substr(named.topic, 13, 20), 0 from logs
        cross join lateral (values (topic1), (topic2), (topic3)) as named (topic)
        where block >= $1 and topic0 not in (${list(NO_MOVES)}) and named.topic is not null
          and substr(named.topic, 1, 12) = ${ZEROS(12)} and substr(named.topic, 13, 8) <> ${ZEROS(8)}
          and (exists (select 1 from tokens where tokens.address = logs.address)
            or exists (select 1 from token_candidates c where c.address = logs.address and not c.refused)) ${MARK_AGAIN}`,
    [fromBlock],
  )
}

/** Call it after blocks and their tokens were removed. */
export async function forgetHolders(sql: Sql, afterBlock: number): Promise<void> {
  await sql.query('delete from token_candidates where first_block > $1', [afterBlock])
  await sql.query(
    `delete from token_holders where not exists (select 1 from tokens where address = token)
      and not exists (select 1 from token_candidates c where c.address = token and not c.refused)`,
  )
  if (afterBlock < 0) await sql.query('update chain set genesis_read = false')
}

interface PairRow {
  readonly token: Uint8Array
  readonly holder: Uint8Array
  readonly kind: TokenKind
  readonly marks: number
}

export function createHolderStore(db: Database): HolderStore {
  const bytesOf = ({ token, holder }: HeldToken): readonly SqlValue[] => [hexToBytes(token), hexToBytes(holder)]
  return {
    async isGenesisUnread() {
      const [row] = await db.query<{ genesis_read: boolean }>('select genesis_read from chain')
      return row?.genesis_read === false
    },
    async addGenesis({ tokens, holders }, block) {
      const candidates = tokens.map((token) => ({ address: bytea(token), first_block: block }))
      const pairs = tokens.flatMap((token) =>
        holders.filter((holder) => holder !== ZERO_ADDRESS).map((holder) => ({ token: bytea(token), holder: bytea(holder), balance: '0' })),
      )
      await db.write(async (sql) => {
        await insertRows(sql, tables.TOKEN_CANDIDATES, candidates)
        await insertRows(sql, tables.TOKEN_HOLDERS, pairs)
        await sql.query('update chain set genesis_read = true')
      })
    },
    async candidates(limit) {
      const rows = await db.query<{ address: Uint8Array }>(
        'select address from token_candidates where not refused order by address limit $1',
        [limit],
      )
      return rows.map(({ address }) => bytesToHex(address) as Address)
    },
    async settleCandidate(address, kind) {
      const bytes = hexToBytes(address)
      await db.write(async (sql) => {
        if (kind === null) {
          await sql.query('update token_candidates set refused = true where address = $1', [bytes])
          await sql.query('delete from token_holders where token = $1 and not exists (select 1 from tokens where tokens.address = $1)', [
            bytes,
          ])
          return
        }
        await sql.query(
          `insert into tokens (address, kind, first_block) select address, $2, first_block from token_candidates where address = $1
            on conflict (address) do update set first_block = least(tokens.first_block, excluded.first_block)`,
          [bytes, kind],
        )
        await sql.query('delete from token_candidates where address = $1', [bytes])
      })
    },
    async unread(limit) {
      const rows = await db.query<PairRow>(
        `select h.token, h.holder, h.marks, k.kind from token_holders h join tokens k on k.address = h.token
          where h.unread order by h.token, h.holder limit $1`,
        [limit],
      )
      return rows.map(({ token, holder, kind, marks }) => ({
        token: bytesToHex(token) as Address,
        holder: bytesToHex(holder) as Address,
        kind,
        marks,
      }))
    },
    async idsOf(pair, limit) {
      const rows = await db.query<{ token_id: string }>(
        `select distinct token_id from token_transfers where token = $1 and (sender = $2 or recipient = $2) and token_id is not null limit $3`,
        [...bytesOf(pair), limit + 1],
      )
      return rows.length > limit ? null : rows.map(({ token_id }) => BigInt(token_id))
    },
    async settle(readings) {
      await db.write(async (sql) => {
        for (const { holding, balance } of readings) {
          const key = [...bytesOf(holding), holding.marks]
          if (balance === null) {
            await sql.query(
              `update token_holders set unread = false, is_read = false, balance = greatest(coalesce(
                (select balance from token_balances where token = $1 and holder = $2), 0), 0) where token = $1 and holder = $2 and marks = $3`,
              key,
            )
          } else if (balance === 0n) {
            await sql.query('delete from token_holders where token = $1 and holder = $2 and marks = $3', key)
          } else {
            await sql.query(
              'update token_holders set unread = false, is_read = true, balance = $4 where token = $1 and holder = $2 and marks = $3',
              [...key, balance.toString()],
            )
          }
        }
      })
    },
  }
}
