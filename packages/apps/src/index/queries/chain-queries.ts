import type { Hash } from '@keelson/primitives'
import { hexToBytes } from '@keelson/primitives'
import type { Sql } from '../storage/database.ts'
import { SENT_BY_PEOPLE } from '../storage/migrations.ts'
import { listed, type Page } from './page.ts'
import {
  type BlockRow,
  blockView,
  type FullTransactionRow,
  fullTransactionView,
  type LogRow,
  logView,
  TRANSACTION_COLUMNS,
  type TransactionRow,
  transactionView,
} from './views.ts'

/** Above every key, for first pages. */
export const TOP = Number.MAX_SAFE_INTEGER
const TOP_POSITION = 2 ** 31 - 1

export async function listBlocks(sql: Sql, { before, limit }: Page) {
  const rows = await sql.query<BlockRow>('select * from blocks where number < $1 order by number desc limit $2', [
    Number(before?.[0] ?? TOP),
    limit + 1,
  ])
  return listed(rows, limit, blockView, ({ number }) => [number])
}

export async function findBlock(sql: Sql, at: number | Hash) {
  const [row] =
    typeof at === 'number'
      ? await sql.query<BlockRow>('select * from blocks where number = $1', [at])
      : await sql.query<BlockRow>('select * from blocks where hash = $1', [hexToBytes(at)])
  return row === undefined ? null : blockView(row)
}

export type TransactionSelection = 'all' | 'sent'

export async function listTransactions(sql: Sql, { before, limit }: Page, selection: TransactionSelection) {
  const source = selection === 'all' ? 'transactions' : `(select * from transactions where ${SENT_BY_PEOPLE})`
  const rows = await sql.query<TransactionRow>(
    `select ${TRANSACTION_COLUMNS} from ${source} t join blocks b on b.number = t.block
      where (t.block, t.position) < ($1, $2) order by t.block desc, t.position desc limit $3`,
    [Number(before?.[0] ?? TOP), Number(before?.[1] ?? TOP_POSITION), limit + 1],
  )
  return listed(rows, limit, transactionView, keyOfTransaction)
}

export async function listBlockTransactions(sql: Sql, block: number, { before, limit }: Page) {
  const rows = await sql.query<TransactionRow>(
    `select ${TRANSACTION_COLUMNS} from transactions t join blocks b on b.number = t.block
      where t.block = $1 and t.position < $2 order by t.position desc limit $3`,
    [block, Number(before?.[0] ?? TOP_POSITION), limit + 1],
  )
  return listed(rows, limit, transactionView, ({ position }) => [position])
}

export async function findTransaction(sql: Sql, hash: Hash) {
  const [row] = await sql.query<FullTransactionRow>(
    'select t.*, b.time, b.hash as block_hash from transactions t join blocks b on b.number = t.block where t.hash = $1',
    [hexToBytes(hash)],
  )
  return row === undefined ? null : fullTransactionView(row)
}

/** In the order of the logs, so `before` is the last position seen. */
export async function listTransactionLogs(sql: Sql, hash: Hash, { before, limit }: Page) {
  const rows = await sql.query<LogRow>(
    `select l.* from transactions t join logs l on l.block = t.block and l.tx_position = t.position
      where t.hash = $1 and l.position > $2 order by l.position limit $3`,
    [hexToBytes(hash), Number(before?.[0] ?? -1), limit + 1],
  )
  return listed(rows, limit, logView, ({ position }) => [position])
}

export async function listAddressTransactions(sql: Sql, address: Uint8Array, { before, limit }: Page) {
  const rows = await sql.query<TransactionRow>(
    `select ${TRANSACTION_COLUMNS}, a.roles from (
        select block, position, roles from address_transactions where address = $1 and (block, position) < ($2, $3)
        order by block desc, position desc limit $4
      ) a join transactions t on t.block = a.block and t.position = a.position join blocks b on b.number = t.block
      order by t.block desc, t.position desc`,
    [address, Number(before?.[0] ?? TOP), Number(before?.[1] ?? TOP_POSITION), limit + 1],
  )
  return listed(rows, limit, transactionView, keyOfTransaction)
}

export async function findCreation(sql: Sql, address: Uint8Array) {
  const [row] = await sql.query<TransactionRow>(
    `select ${TRANSACTION_COLUMNS} from transactions t join blocks b on b.number = t.block
      where t.created = $1 order by t.block desc limit 1`,
    [address],
  )
  if (row === undefined) return null
  const { hash, from, block, time } = transactionView(row)
  return { transaction: hash, creator: from, block, time }
}

function keyOfTransaction({ block, position }: TransactionRow): readonly number[] {
  return [block, position]
}
