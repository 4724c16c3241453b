import { bytesToHex, type Hash, hexToBytes } from '@keelson/primitives'
import type { BlockRef } from '../chain/ports.ts'
import { IndexError } from '../index-error.ts'
import type { Sql } from './database.ts'

type CursorTable = 'cursor' | 'l1_cursor'

export async function readCursor(sql: Sql, table: CursorTable): Promise<BlockRef | null> {
  return cursorIn(await sql.query<CursorRow>(`select number, hash from ${table}`))
}

/** Call first in a transaction that changes rows of blocks. Throws IndexError `apps/index-cursor-moved`. */
export async function lockCursor(sql: Sql, table: CursorTable, expected: BlockRef | null): Promise<void> {
  const found = cursorIn(await sql.query<CursorRow>(`select number, hash from ${table} for update`))
  if (found?.hash === expected?.hash) return
  throw new IndexError('apps/index-cursor-moved', 'temporary', `another writer moved the index to block ${found?.number ?? 'none'}`)
}

export async function moveCursor(sql: Sql, table: CursorTable, to: BlockRef | null): Promise<void> {
  if (to === null) return void (await sql.query(`delete from ${table}`))
  await sql.query(
    `insert into ${table} (id, number, hash) values (1, $1, $2) on conflict (id) do update set number = excluded.number, hash = excluded.hash`,
    [to.number, hexToBytes(to.hash)],
  )
}

interface CursorRow {
  readonly number: number
  readonly hash: Uint8Array
}

function cursorIn([row]: readonly CursorRow[]): BlockRef | null {
  return row === undefined ? null : { number: row.number, hash: bytesToHex(row.hash) as Hash }
}

/** Newest first. */
export async function readHashes(sql: Sql, table: 'blocks' | 'l1_blocks', upTo: number, count: number): Promise<readonly BlockRef[]> {
  const rows = await sql.query<CursorRow>(`select number, hash from ${table} where number <= $1 order by number desc limit $2`, [
    upTo,
    count,
  ])
  return rows.map(({ number, hash }) => ({ number, hash: bytesToHex(hash) as Hash }))
}
