/**
 * LevelDB skips damaged records of its log without an error, and applies those behind them. A write that a crash cut short leaves a
 * damaged end, which is normal; whole records behind the damage show that records are lost. leveldb/doc/log_format.md
 */
import { maskedChecksum } from './checksum.ts'

const BLOCK_BYTES = 32_768
const HEADER_BYTES = 7
const LAST_TYPE = 4

/** Returns the place of damage with whole records behind it, or null. */
export function findLogDamage(log: Uint8Array): number | null {
  let at = 0
  while (at < log.length) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES)
    if (left < HEADER_BYTES) {
      at += left
      continue
    }
    const end = recordEnd(log, at, at + left)
    if (end === null) return hasRecordAfter(log, at) ? at : null
    at = end
  }
  return null
}

/** Returns the end of the whole record at `at`, or null. */
function recordEnd(log: Uint8Array, at: number, blockEnd: number): number | null {
  if (at + HEADER_BYTES > log.length) return null
  const view = new DataView(log.buffer, log.byteOffset + at, HEADER_BYTES)
  const type = view.getUint8(6)
  const end = at + HEADER_BYTES + view.getUint16(4, true)
  if (type === 0 || type > LAST_TYPE || end > Math.min(blockEnd, log.length)) return null
  return maskedChecksum(log.subarray(at + 6, end)) === view.getUint32(0, true) ? end : null
}

/** Damage may hide where the next record begins, so every place is tried. */
function hasRecordAfter(log: Uint8Array, damage: number): boolean {
  for (let at = damage + 1; at + HEADER_BYTES <= log.length; at++) {
    if (recordEnd(log, at, at + BLOCK_BYTES - (at % BLOCK_BYTES)) !== null) return true
  }
  return false
}
