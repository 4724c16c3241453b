/** A ring of blocks without gaps: allocation evicts what it passes, except the codes of running frames. */
import { CODE_ARENA, CODE_ARENA_BYTES, CODE_PINS, LIMIT_CODE } from '../../src/wasm/layout'
import { limit } from '../host'
import { evictCode } from './records'

const SIZE: usize = 0
const OWNER: usize = 4
const HEADER: u32 = 16
const END: usize = CODE_ARENA + CODE_ARENA_BYTES

let cursor: usize = 0

/** Fails with `evm/limit` when running frames fill the arena. */
export function allocateBlock(bytes: u32, owner: usize): usize {
  if (cursor == 0) {
    setBlock(CODE_ARENA, CODE_ARENA_BYTES, 0)
    cursor = CODE_ARENA
  }
  const wanted = (bytes + HEADER + 15) & ~15
  if (bytes > <u32>CODE_ARENA_BYTES || wanted > <u32>CODE_ARENA_BYTES) limit(LIMIT_CODE)
  let start = cursor
  let size: u32 = 0
  let turns = 0
  while (size < wanted) {
    let next = start + size
    if (next == END) {
      if (size != 0) setBlock(start, size, 0)
      if (++turns > 2) limit(LIMIT_CODE)
      start = next = CODE_ARENA
      size = 0
    }
    const record = load<u32>(next, OWNER)
    const nextSize = load<u32>(next, SIZE)
    if (record != 0 && load<u32>(record, CODE_PINS) != 0) {
      if (size != 0) setBlock(start, size, 0)
      start = next + nextSize
      size = 0
      continue
    }
    if (record != 0) {
      store<u32>(next, 0, OWNER)
      evictCode(record)
    }
    size += nextSize
  }
  setBlock(start, wanted, owner)
  if (size > wanted) setBlock(start + wanted, size - wanted, 0)
  cursor = start + wanted
  if (cursor == END) cursor = CODE_ARENA
  return start + HEADER
}

function setBlock(at: usize, size: u32, owner: usize): void {
  store<u32>(at, size, SIZE)
  store<u32>(at, owner, OWNER)
}

/** Moves the cursor to the freed block, so that the next call does not pass the same blocks again. */
export function evictNext(): void {
  let at = cursor
  for (let turns = 0; turns < 2; ) {
    const record = load<u32>(at, OWNER)
    if (record != 0 && load<u32>(record, CODE_PINS) == 0) {
      store<u32>(at, 0, OWNER)
      evictCode(record)
      cursor = at
      return
    }
    at += load<u32>(at, SIZE)
    if (at == END) {
      at = CODE_ARENA
      turns++
    }
  }
  limit(LIMIT_CODE)
}
