import { bytesToHex, type Hash, hexToBytes } from '@keelson/primitives'
import type { BlockRef } from '../chain/ports.ts'
import { IndexError } from '../index-error.ts'
import type { Sql } from './database.ts'

export async function readCursor(sql: Sql): Promise<BlockRef | null> {
  return cursorIn(await sql.query<CursorRow>('select number, hash from cursor'))
}

/** Call first in a transaction that changes rows of blocks. Throws IndexError `apps/index-cursor-moved`. */
export async function lockCursor(sql: Sql, expected: BlockRef | null): Promise<void> {
  const found = cursorIn(await sql.query<CursorRow>('select number, hash from cursor for update'))
  if (found?.hash === expected?.hash) return
  throw new IndexError('apps/index-cursor-moved', 'temporary', `another writer moved the index to block ${found?.number ?? 'none'}`)
}

export async function moveCursor(sql: Sql, { number, hash }: BlockRef): Promise<void> {
  await sql.query(
    'insert into cursor (id, number, hash) values (1, $1, $2) on conflict (id) do update set number = excluded.number, hash = excluded.hash',
    [number, hexToBytes(hash)],
  )
}

interface CursorRow {
  readonly number: number
  readonly hash: Uint8Array
}

function cursorIn([row]: readonly CursorRow[]): BlockRef | null {
  return row === undefined ? null : { number: row.number, hash: bytesToHex(row.hash) as Hash }
}
