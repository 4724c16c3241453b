import { bytesToHex, concatBytes, type Hex, hexToBytes } from '@keelson/primitives'
import type { FollowedStore } from '../follow/follower.ts'
import { bytea, byteaOrNull, type JsonRow, numeric } from '../storage/block-rows.ts'
import { lockCursor, moveCursor, readCursor, readHashes } from '../storage/cursor.ts'
import type { Database, Sql } from '../storage/database.ts'
import { insertRows } from '../storage/insert-rows.ts'
import * as tables from '../storage/tables.ts'
import type { L1IndexBlock, L1Rollup } from './ports.ts'

const PER_BLOCK = ['l1_batches', 'l1_frames', 'l1_channels', 'l1_deposits'] as const
/** A reorg may remove the end of a channel, which then needs its older frames again. */
const REORG_BLOCKS = 128

export function createL1Store(db: Database, rollup: Pick<L1Rollup, 'channelTimeoutBlocks' | 'readChannel'>): FollowedStore<L1IndexBlock> {
  return {
    cursor: () => readCursor(db, 'l1_cursor'),
    hashes: (upTo, count) => readHashes(db, 'l1_blocks', upTo, count),
    async append(after, blocks) {
      const last = blocks.at(-1)
      if (last === undefined) return
      await db.write(async (sql) => {
        await lockCursor(sql, 'l1_cursor', after)
        for (const block of blocks) await appendBlock(sql, block, rollup)
        await sql.query('update l1_frames set data = null where data is not null and l1_block < $1', [
          last.number - rollup.channelTimeoutBlocks - REORG_BLOCKS,
        ])
        await moveCursor(sql, 'l1_cursor', last)
      })
    },
    rollBack: (from, to) =>
      db.write(async (sql) => {
        await lockCursor(sql, 'l1_cursor', from)
        const number = to?.number ?? -1
        for (const table of PER_BLOCK) await sql.query(`delete from ${table} where l1_block > $1`, [number])
        await sql.query('delete from l1_blocks where number > $1', [number])
        await moveCursor(sql, 'l1_cursor', to)
      }),
  }
}

async function appendBlock(sql: Sql, block: L1IndexBlock, rollup: Pick<L1Rollup, 'channelTimeoutBlocks' | 'readChannel'>): Promise<void> {
  const l1_block = block.number
  await insertRows(sql, tables.L1_BLOCKS, [{ number: block.number, hash: bytea(block.hash), time: block.timeSec }])
  const batches = block.batches.map(({ position, hash, sender, blobs, bytes, readable }) => {
    return { l1_block, position, hash: bytea(hash), sender: bytea(sender), blobs, bytes, readable }
  })
  await insertRows(sql, tables.L1_BATCHES, batches)
  await insertRows(sql, tables.L1_FRAMES, frameRows(block))
  const deposits = block.deposits.map((deposit) => ({
    l1_block,
    log_position: deposit.logPosition,
    l1_transaction: bytea(deposit.l1Transaction),
    l2_transaction: bytea(deposit.l2Transaction),
    initiator: bytea(deposit.initiator),
    sender: bytea(deposit.sender),
    recipient: byteaOrNull(deposit.recipient),
    mint: numeric(deposit.mintWei),
    value: numeric(deposit.valueWei),
    transfer_sender: byteaOrNull(deposit.transfer?.from),
    transfer_recipient: byteaOrNull(deposit.transfer?.to),
    message_hash: byteaOrNull(deposit.messageHash),
  }))
  await insertRows(sql, tables.L1_DEPOSITS, deposits)
  const channels = new Set(block.batches.flatMap(({ frames }) => frames.map(({ channel }) => channel)))
  for (const channel of channels) await closeChannel(sql, channel, block, rollup)
}

function frameRows(block: L1IndexBlock): readonly JsonRow[] {
  return block.batches.flatMap(({ position, frames }) =>
    frames.map(({ channel, number, isLast, data }, item) => ({
      l1_block: block.number,
      tx_position: position,
      item,
      channel: bytea(channel),
      number,
      is_last: isLast,
      data: bytea(bytesToHex(data)),
    })),
  )
}

interface FrameRow {
  readonly number: number
  readonly is_last: boolean
  readonly data: Uint8Array
}

/** Reads a channel when all its frames are there. The first frame of a number counts. */
async function closeChannel(
  sql: Sql,
  channel: Hex,
  { number, hash, parentHash, timeSec }: L1IndexBlock,
  { channelTimeoutBlocks, readChannel }: Pick<L1Rollup, 'channelTimeoutBlocks' | 'readChannel'>,
): Promise<void> {
  const id = hexToBytes(channel)
  const from = number - channelTimeoutBlocks
  const closed = await sql.query('select 1 from l1_channels where channel = $1 and l1_block >= $2', [id, from])
  if (closed.length > 0) return
  const rows = await sql.query<FrameRow>(
    `select number, is_last, data from l1_frames where channel = $1 and l1_block >= $2 and data is not null
      order by l1_block, tx_position, item`,
    [id, from],
  )
  const frames = new Map<number, FrameRow>()
  for (const row of rows) if (!frames.has(row.number)) frames.set(row.number, row)
  const end = [...frames.values()].find(({ is_last }) => is_last)?.number
  if (end === undefined) return
  const parts: Uint8Array[] = []
  for (let i = 0; i <= end; i++) {
    const frame = frames.get(i)
    if (frame === undefined) return
    parts.push(frame.data)
  }
  const { firstBlock, lastBlock, batches, problem } = readChannel(concatBytes(...parts), {
    number,
    hash,
    parentHash,
    timestampSec: timeSec,
  })
  await insertRows(sql, tables.L1_CHANNELS, [
    { channel: bytea(channel), l1_block: number, first_block: firstBlock, last_block: lastBlock, batches, problem },
  ])
}
