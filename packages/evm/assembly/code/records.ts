/** Codes by hash, which outlive a call. */
import {
  CODE_BUCKET_MASK,
  CODE_BUCKETS,
  CODE_BYTES,
  CODE_DELEGATE,
  CODE_DELEGATES,
  CODE_ENTRIES,
  CODE_ENTRY_BYTES,
  CODE_ENTRY_CAPACITY,
  CODE_HASH,
  CODE_JUMPS,
  CODE_LENGTH,
  CODE_NEXT,
  CODE_PADDING,
} from '../../src/wasm/layout'
import { mix, topBits } from '../state/hashing'
import { copyWord, equalWords } from '../words'
import { allocateBlock, evictNext } from './arena'
import { bitmapBytes } from './jumps'

let used: u32 = 0
let freed: usize = 0

function bucketOf(hash: usize): usize {
  return CODE_BUCKETS + (<usize>(topBits(mix(load<u64>(hash), 0) + mix(load<u64>(hash, 8), 1)) & CODE_BUCKET_MASK) << 2)
}

/** Returns 0 if no record has the hash. */
export function findCode(hash: usize): usize {
  let record = <usize>load<u32>(bucketOf(hash))
  while (record != 0 && !equalWords(record + CODE_HASH, hash)) record = load<u32>(record, CODE_NEXT)
  return record
}

/** The caller writes `length` bytes to CODE_BYTES, then calls `sealCode`. */
export function allocateCode(hash: usize, length: u32): usize {
  const record = newRecord()
  const block = allocateBlock(length + CODE_PADDING + 8 + bitmapBytes(length), record)
  memory.fill(record, 0, CODE_ENTRY_BYTES)
  copyWord(record + CODE_HASH, hash)
  store<u32>(record, block, CODE_BYTES)
  store<u32>(record, length, CODE_LENGTH)
  store<u32>(record, (block + length + CODE_PADDING + 7) & ~7, CODE_JUMPS)
  memory.fill(block + length, 0, CODE_PADDING)
  const bucket = bucketOf(hash)
  store<u32>(record, load<u32>(bucket), CODE_NEXT)
  store<u32>(bucket, record)
  return record
}

export function sealCode(record: usize): void {
  const code = <usize>load<u32>(record, CODE_BYTES)
  if (!isDelegation(code, load<u32>(record, CODE_LENGTH))) return
  store<u32>(record, 1, CODE_DELEGATES)
  store<u64>(record, bswap(load<u64>(code, 15)), CODE_DELEGATE)
  store<u64>(record, bswap(load<u64>(code, 7)), CODE_DELEGATE + 8)
  store<u64>(record, bswap(load<u32>(code, 3)), CODE_DELEGATE + 16)
}

/** EIP-7702: 0xef0100 and an address. */
function isDelegation(code: usize, length: u32): bool {
  return length == 23 && load<u16>(code) == 0x01ef && load<u8>(code, 2) == 0
}

function newRecord(): usize {
  if (freed == 0 && used == CODE_ENTRY_CAPACITY) evictNext()
  if (freed != 0) {
    const record = freed
    freed = load<u32>(record, CODE_NEXT)
    return record
  }
  const record = CODE_ENTRIES + <usize>used * CODE_ENTRY_BYTES
  used++
  return record
}

/** Clears the hash, so that accounts that point at the record search again. */
export function evictCode(record: usize): void {
  const bucket = bucketOf(record + CODE_HASH)
  if (load<u32>(bucket) == <u32>record) store<u32>(bucket, load<u32>(record, CODE_NEXT))
  else {
    let before = <usize>load<u32>(bucket)
    while (load<u32>(before, CODE_NEXT) != <u32>record) before = load<u32>(before, CODE_NEXT)
    store<u32>(before, load<u32>(record, CODE_NEXT), CODE_NEXT)
  }
  memory.fill(record, 0, CODE_ENTRY_BYTES)
  store<u32>(record, freed, CODE_NEXT)
  freed = record
}
