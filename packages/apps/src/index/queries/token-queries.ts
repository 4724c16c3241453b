import { type Address, bytesToHex, type Hash, hexToBytes } from '@keelson/primitives'
import type { Sql } from '../storage/database.ts'
import { TOP } from './chain-queries.ts'
import { listed, type Page } from './page.ts'
import { hex, type TokenRow, type TransferRow, tokenView, transferView } from './views.ts'

const TOP_POSITION = 2 ** 31 - 1
const TRANSFERS = `select t.block, t.log_position, t.item, b.time, x.hash as transaction, t.token, t.kind, t.sender, t.recipient, t.token_id,
  t.amount, k.name, k.symbol, k.decimals`
const JOINS = `join blocks b on b.number = t.block join transactions x on x.block = t.block and x.position = t.tx_position
  join tokens k on k.address = t.token`
const ORDER = 'order by t.block desc, t.log_position desc, t.item desc'
/** Counting more takes too long. */
const MAX_COUNTED_HOLDERS = 10_000

export async function listTokens(sql: Sql, { before, limit }: Page) {
  const rows = await sql.query<TokenRow>(
    'select * from tokens where (first_block, address) < ($1, $2) order by first_block desc, address desc limit $3',
    [Number(before?.[0] ?? TOP), before === null ? new Uint8Array(20).fill(0xff) : hexToBytes(`0x${before[1]}`), limit + 1],
  )
  return listed(rows, limit, tokenView, ({ first_block, address }) => [first_block, bytesToHex(address).slice(2)])
}

export async function findToken(sql: Sql, address: Address) {
  const [row] = await sql.query<TokenRow>('select * from tokens where address = $1', [hexToBytes(address)])
  return row === undefined ? null : tokenView(row)
}

export async function countHolders(sql: Sql, token: Address): Promise<{ readonly count: number; readonly isMore: boolean }> {
  const [row] = await sql.query<{ count: number }>(
    'select count(*) as count from (select 1 from token_holders where token = $1 and balance > 0 limit $2) as some_holders',
    [hexToBytes(token), MAX_COUNTED_HOLDERS + 1],
  )
  const count = row?.count ?? 0
  return { count: Math.min(count, MAX_COUNTED_HOLDERS), isMore: count > MAX_COUNTED_HOLDERS }
}

interface BalanceRow {
  readonly balance: string
  readonly is_read: boolean
  /** Null when no transfer names the holder. */
  readonly events: string | null
}

const HELD = `h.balance, h.is_read, (select b.balance from token_balances b where b.token = h.token and b.holder = h.holder) as events`

/** What the contract answers to `balanceOf`, or the sum of the transfers when it does not answer, or is not asked yet. */
function balanceView({ balance, is_read, events }: BalanceRow) {
  return { balance, source: is_read ? ('contract' as const) : ('events' as const), fromEvents: events ?? '0' }
}

export async function listHolders(sql: Sql, token: Address, { before, limit }: Page) {
  const after = before === null ? '' : 'and (balance < $3::numeric or (balance = $3::numeric and holder > $4))'
  const rows = await sql.query<BalanceRow & { readonly holder: Uint8Array }>(
    `select h.holder, ${HELD} from token_holders h where token = $1 and balance > 0 ${after} order by balance desc, holder limit $2`,
    [hexToBytes(token), limit + 1, ...(before === null ? [] : [before[0] as string, hexToBytes(`0x${before[1]}`)])],
  )
  const view = (row: (typeof rows)[number]) => ({ address: hex(row.holder) as Address, ...balanceView(row) })
  return listed(rows, limit, view, ({ holder, balance }) => [balance, bytesToHex(holder).slice(2)])
}

export async function listAddressTokens(sql: Sql, address: Address, { before, limit }: Page) {
  const rows = await sql.query<TokenRow & BalanceRow>(
    `select k.*, ${HELD} from token_holders h join tokens k on k.address = h.token
      where h.holder = $1 and h.balance > 0 and h.token > $2 order by h.token limit $3`,
    [hexToBytes(address), before === null ? new Uint8Array(0) : hexToBytes(`0x${before[0]}`), limit + 1],
  )
  const view = (row: (typeof rows)[number]) => ({ token: tokenView(row), ...balanceView(row) })
  return listed(rows, limit, view, (row) => [bytesToHex(row.address).slice(2)])
}

export async function listTokenTransfers(sql: Sql, token: Address, page: Page) {
  const rows = await sql.query<TransferRow>(
    `${TRANSFERS} from token_transfers t ${JOINS}
      where t.token = $1 and (t.block, t.log_position, t.item) < ($2, $3, $4) ${ORDER} limit $5`,
    [hexToBytes(token), ...placeOf(page), page.limit + 1],
  )
  return listed(rows, page.limit, transferView, keyOfTransfer)
}

export async function listAddressTransfers(sql: Sql, address: Address, page: Page) {
  const of = (party: 'sender' | 'recipient') =>
    `(select * from token_transfers t where t.${party} = $1 and (t.block, t.log_position, t.item) < ($2, $3, $4) ${ORDER} limit $5)`
  const rows = await sql.query<TransferRow>(
    `${TRANSFERS} from (${of('sender')} union ${of('recipient')}) as t ${JOINS} ${ORDER} limit $5`,
    [hexToBytes(address), ...placeOf(page), page.limit + 1],
  )
  return listed(rows, page.limit, transferView, keyOfTransfer)
}

/** In the order of the logs. */
export async function listTransactionTransfers(sql: Sql, transaction: Hash, { before, limit }: Page) {
  const rows = await sql.query<TransferRow>(
    `${TRANSFERS} from transactions x join token_transfers t on t.block = x.block and t.tx_position = x.position
      join blocks b on b.number = t.block join tokens k on k.address = t.token
      where x.hash = $1 and (t.log_position, t.item) > ($2, $3) order by t.log_position, t.item limit $4`,
    [hexToBytes(transaction), Number(before?.[0] ?? -1), Number(before?.[1] ?? -1), limit + 1],
  )
  return listed(rows, limit, transferView, ({ log_position, item }) => [log_position, item])
}

function placeOf({ before }: Page): readonly number[] {
  return [Number(before?.[0] ?? TOP), Number(before?.[1] ?? TOP_POSITION), Number(before?.[2] ?? TOP_POSITION)]
}

function keyOfTransfer({ block, log_position, item }: TransferRow): readonly number[] {
  return [block, log_position, item]
}
