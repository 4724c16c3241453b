import { type Address, bytesToHex, hexToBytes, ZERO_ADDRESS } from '@keelson/primitives'
import type { ChainBlock, TokenMetadata } from '../chain/ports.ts'
import type { FollowedStore } from '../follow/follower.ts'
import { rowsOf } from './block-rows.ts'
import { lockCursor, moveCursor, readCursor, readHashes } from './cursor.ts'
import type { Database, Sql } from './database.ts'
import { forgetHolders, markHolders } from './holder-store.ts'
import { insertRows } from './insert-rows.ts'
import * as tables from './tables.ts'

export interface BlockStore extends FollowedStore<ChainBlock> {
  undescribedTokens(limit: number): Promise<readonly Address[]>
  describeToken(token: Address, metadata: TokenMetadata): Promise<void>
}

export function createBlockStore(db: Database): BlockStore {
  return {
    cursor: () => readCursor(db, 'cursor'),
    async append(after, blocks) {
      const last = blocks.at(-1)
      if (last === undefined) return
      const rows = rowsOf(blocks)
      await db.write(async (sql) => {
        await lockCursor(sql, 'cursor', after)
        await insertRows(sql, tables.BLOCKS, rows.blocks)
        await insertRows(sql, tables.TRANSACTIONS, rows.transactions)
        await insertRows(sql, tables.LOGS, rows.logs)
        await insertRows(sql, tables.TOKEN_TRANSFERS, rows.transfers)
        await insertRows(sql, tables.ADDRESS_TRANSACTIONS, rows.addresses)
        await insertRows(sql, tables.TOKENS, rows.tokens)
        await insertRows(sql, tables.TOKEN_BALANCES, rows.balances)
        if (rows.balances.length > 0) await dropEmptyBalances(sql, (after?.number ?? -1) + 1)
        if (rows.logs.length > 0) await markHolders(sql, (after?.number ?? -1) + 1)
        await insertRows(sql, tables.WITHDRAWALS, rows.withdrawals)
        await insertRows(sql, tables.HOURS, rows.hours)
        await moveCursor(sql, 'cursor', last)
      })
    },
    rollBack: (from, to) =>
      db.write(async (sql) => {
        await lockCursor(sql, 'cursor', from)
        await removeAfter(sql, to?.number ?? -1)
        await moveCursor(sql, 'cursor', to)
      }),
    hashes: (upTo, count) => readHashes(db, 'blocks', upTo, count),
    async undescribedTokens(limit) {
      const rows = await db.query<{ address: Uint8Array }>('select address from tokens where not described order by address limit $1', [
        limit,
      ])
      return rows.map(({ address }) => bytesToHex(address) as Address)
    },
    async describeToken(token, { name, symbol, decimals }) {
      await db.write((sql) =>
        sql.query('update tokens set name = $2, symbol = $3, decimals = $4, described = true where address = $1', [
          hexToBytes(token),
          name,
          symbol,
          decimals,
        ]),
      )
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

const PER_BLOCK = ['transactions', 'logs', 'token_transfers', 'address_transactions', 'withdrawals'] as const

async function removeAfter(sql: Sql, number: number): Promise<void> {
  await markHolders(sql, number + 1)
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
  await forgetHolders(sql, number)
  for (const table of PER_BLOCK) await sql.query(`delete from ${table} where block > $1`, [number])
  await sql.query('delete from blocks where number > $1', [number])
}
