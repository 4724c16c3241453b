/** Rows and cursor move together, so a stopped or killed process continues where its last transaction ended. */
import { type Address, bytesToHex, type Hash, hexToBytes, ZERO_ADDRESS } from '@keelson/primitives'
import type { BlockRef, ChainBlock, TokenMetadata } from '../chain/ports.ts'
import { rowsOf } from './block-rows.ts'
import { lockCursor, moveCursor, readCursor } from './cursor.ts'
import type { Database, Sql } from './database.ts'
import { insertRows } from './insert-rows.ts'
import * as tables from './tables.ts'

export interface BlockStore {
  cursor(): Promise<BlockRef | null>
  /** Blocks follow `after` and one another. Throws IndexError `apps/index-cursor-moved`. */
  append(after: BlockRef | null, blocks: readonly ChainBlock[]): Promise<void>
  /** Null removes all blocks. Throws IndexError `apps/index-cursor-moved`. */
  rollBack(from: BlockRef, to: BlockRef | null): Promise<void>
  /** Newest first. */
  hashes(upTo: number, count: number): Promise<readonly BlockRef[]>
  undescribedTokens(limit: number): Promise<readonly Address[]>
  describeToken(token: Address, metadata: TokenMetadata): Promise<void>
}

export function createBlockStore(db: Database): BlockStore {
  return {
    cursor: () => readCursor(db),
    async append(after, blocks) {
      const last = blocks.at(-1)
      if (last === undefined) return
      const rows = rowsOf(blocks)
      await db.transaction(async (sql) => {
        await lockCursor(sql, after)
        await insertRows(sql, tables.BLOCKS, rows.blocks)
        await insertRows(sql, tables.TRANSACTIONS, rows.transactions)
        await insertRows(sql, tables.LOGS, rows.logs)
        await insertRows(sql, tables.TOKEN_TRANSFERS, rows.transfers)
        await insertRows(sql, tables.ADDRESS_TRANSACTIONS, rows.addresses)
        await insertRows(sql, tables.TOKENS, rows.tokens)
        await insertRows(sql, tables.TOKEN_BALANCES, rows.balances)
        if (rows.balances.length > 0) await dropEmptyBalances(sql, (after?.number ?? -1) + 1)
        await insertRows(sql, tables.HOURS, rows.hours)
        await moveCursor(sql, last)
      })
    },
    rollBack: (from, to) =>
      db.transaction(async (sql) => {
        await lockCursor(sql, from)
        await removeAfter(sql, to?.number ?? -1)
        if (to === null) await sql.query('delete from cursor')
        else await moveCursor(sql, to)
      }),
    async hashes(upTo, count) {
      const rows = await db.query<{ number: number; hash: Uint8Array }>(
        'select number, hash from blocks where number <= $1 order by number desc limit $2',
        [upTo, count],
      )
      return rows.map(({ number, hash }) => ({ number, hash: bytesToHex(hash) as Hash }))
    },
    async undescribedTokens(limit) {
      const rows = await db.query<{ address: Uint8Array }>('select address from tokens where not described order by address limit $1', [
        limit,
      ])
      return rows.map(({ address }) => bytesToHex(address) as Address)
    },
    async describeToken(token, { name, symbol, decimals }) {
      await db.query('update tokens set name = $2, symbol = $3, decimals = $4, described = true where address = $1', [
        hexToBytes(token),
        name,
        symbol,
        decimals,
      ])
    },
  }
}

const TOUCHED = `select token, sender as holder from token_transfers where block >= $1
  union select token, recipient from token_transfers where block >= $1`

/** Keeps the table equal to that of an index that never saw the transfers between. */
async function dropEmptyBalances(sql: Sql, fromBlock: number): Promise<void> {
  await sql.query(
    `delete from token_balances using (${TOUCHED}) as touched
      where token_balances.token = touched.token and token_balances.holder = touched.holder and balance = 0`,
    [fromBlock],
  )
}

const PER_BLOCK = ['transactions', 'logs', 'token_transfers', 'address_transactions'] as const

async function removeAfter(sql: Sql, number: number): Promise<void> {
  await sql.query(
    `insert into token_balances (token, holder, balance)
      select token, holder, sum(amount) from (
        select token, sender as holder, amount from token_transfers where block > $1
        union all select token, recipient, -amount from token_transfers where block > $1
      ) as moves where holder <> $2 group by token, holder
      ${tables.TOKEN_BALANCES.onConflict}`,
    [number, hexToBytes(ZERO_ADDRESS)],
  )
  await dropEmptyBalances(sql, number + 1)
  await sql.query(
    `insert into hours (hour, blocks, transactions, gas_used, l2_fees, l1_fees)
      select time / 3600, -count(*), -sum(transactions), -sum(gas_used), -sum(l2_fees), -sum(l1_fees)
      from blocks where number > $1 group by time / 3600 ${tables.HOURS.onConflict}`,
    [number],
  )
  await sql.query('delete from hours where blocks = 0')
  await sql.query('delete from tokens where first_block > $1', [number])
  for (const table of PER_BLOCK) await sql.query(`delete from ${table} where block > $1`, [number])
  await sql.query('delete from blocks where number > $1', [number])
}
