/** LevelDB reads tables without comparing their checksums, so that a flipped bit changes a value. leveldb/doc/table_format.md */
import { snappyUncompress } from '../../snappy.ts'
import { maskedChecksum } from './checksum.ts'
import { readVarint, type Varint } from './varint.ts'

const FOOTER_BYTES = 48
const MAGIC = 0xdb4775248b80fb57n
const TRAILER_BYTES = 5
const SNAPPY = 1
const WORD_BYTES = 4
const MOST_BLOCK_BYTES = 64 * 1024 * 1024

interface BlockPlace {
  readonly at: number
  readonly bytes: number
}

class DamagedTable extends Error {}

/** Returns what is damaged, or null. */
export function findTableDamage(table: Uint8Array): string | null {
  try {
    checkTable(table)
    return null
  } catch (error) {
    if (error instanceof DamagedTable || error instanceof RangeError) return error.message
    throw error
  }
}

function checkTable(table: Uint8Array): void {
  const footer = table.length - FOOTER_BYTES
  const view = new DataView(table.buffer, table.byteOffset, table.length)
  if (footer < 0 || view.getBigUint64(table.length - 8, true) !== MAGIC) throw new DamagedTable('it does not end as a table does')
  const meta = readPlace(table, footer)
  const index = readPlace(table, meta.next)
  for (const { place } of [meta, index]) {
    for (const value of blockValues(readBlock(table, place))) readBlock(table, readPlace(value, 0).place)
  }
}

function readPlace(bytes: Uint8Array, from: number): { readonly place: BlockPlace; readonly next: number } {
  const at: Varint = readVarint(bytes, from)
  const size: Varint = readVarint(bytes, at.next)
  return { place: { at: at.value, bytes: size.value }, next: size.next }
}

function readBlock(table: Uint8Array, { at, bytes }: BlockPlace): Uint8Array {
  const end = at + bytes
  if (end + TRAILER_BYTES > table.length) throw new DamagedTable(`its block at byte ${at} has ${bytes} bytes, more than the file`)
  const checksum = new DataView(table.buffer, table.byteOffset + end + 1, WORD_BYTES).getUint32(0, true)
  if (maskedChecksum(table.subarray(at, end + 1)) !== checksum) throw new DamagedTable(`the checksum of its block at byte ${at} is wrong`)
  const block = table.subarray(at, end)
  const plain = table[end] === SNAPPY ? snappyUncompress(block, MOST_BLOCK_BYTES) : block
  if (plain === null) throw new DamagedTable(`its block at byte ${at} cannot be uncompressed`)
  return plain
}

/** The values of a block's entries, without their keys. */
function* blockValues(block: Uint8Array): Iterable<Uint8Array> {
  const restarts = new DataView(block.buffer, block.byteOffset, block.length).getUint32(block.length - WORD_BYTES, true)
  const end = block.length - WORD_BYTES * (restarts + 1)
  for (let at = 0; at < end; ) {
    const shared = readVarint(block, at)
    const own = readVarint(block, shared.next)
    const value = readVarint(block, own.next)
    const from = value.next + own.value
    at = from + value.value
    yield block.subarray(from, at)
  }
}
