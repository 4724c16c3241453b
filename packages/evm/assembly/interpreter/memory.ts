/** The running frame's memory is always the last in the arena. */
import {
  FRAME_MEMORY,
  FRAME_MEMORY_BYTES,
  HALT_GAS_OVERFLOW,
  HALT_MEMORY_OVERFLOW,
  HALT_OUT_OF_GAS,
  MEMORY_LIMIT,
} from '../../src/wasm/layout'
import { clamp32, exceeds32, isZero } from '../words'
import { refuse } from './halt'

const WORD_GAS: u64 = 3
const QUADRATIC_DIVISOR_BITS: u64 = 9
/** The largest size whose price geth computes (core/vm/gas_table.go); beyond it reports an overflow instead of out of gas. */
const MAX_PRICED_BYTES: u64 = 0x1fffffffe0
const OUT_OF_GAS: i64 = -1

// @ts-ignore: decorator
@inline
export function memoryGas(bytes: u64): u64 {
  const words = bytes >> 5
  return words * WORD_GAS + ((words * words) >> QUADRATIC_DIVISOR_BITS)
}

export function reachMemory(end: usize): void {
  const pages = (end + 0xffff) >>> 16
  const present = <usize>memory.size()
  if (pages > present) memory.grow(<i32>max<usize>(pages - present, 16))
}

/** Returns the remaining gas, or a negative number. */
export function expandMemory(frame: usize, end: u64, gas: i64): i64 {
  const before = <u64>load<u32>(frame, FRAME_MEMORY_BYTES)
  if (end <= before) return gas
  const base = <usize>load<u32>(frame, FRAME_MEMORY)
  if (end > <u64>MEMORY_LIMIT) return OUT_OF_GAS
  const after = (end + 31) & ~31
  const left = gas - <i64>(memoryGas(after) - memoryGas(before))
  if (left < 0) return left
  if (<u64>base + after > <u64>MEMORY_LIMIT) return OUT_OF_GAS
  reachMemory(base + <usize>after)
  memory.fill(base + <usize>before, 0, <usize>(after - before))
  store<u32>(frame, <u32>after, FRAME_MEMORY_BYTES)
  return left
}

/** Halt reason for a range that does not fit into memory. */
export function rangeProblem(offset: usize, length: usize): i32 {
  return exceeds64(length) ? HALT_GAS_OVERFLOW : endProblem(offset, load<u64>(length))
}

export function endProblem(offset: usize, length: u64): i32 {
  if (exceeds64(offset)) return HALT_GAS_OVERFLOW
  const end = load<u64>(offset) + length
  // Sizes are rounded up to words.
  if (end < length || end > u64.MAX_VALUE - 31) return HALT_GAS_OVERFLOW
  return end > MAX_PRICED_BYTES ? HALT_MEMORY_OVERFLOW : HALT_OUT_OF_GAS
}

function exceeds64(word: usize): bool {
  return (load<u64>(word, 8) | load<u64>(word, 16) | load<u64>(word, 24)) != 0
}

export function refuseRange(frame: usize, offset: usize, length: usize): i64 {
  return refuse(frame, rangeProblem(offset, length))
}

// @ts-ignore: decorator
@inline
export function expandRange(frame: usize, offset: usize, length: usize, gas: i64): i64 {
  if (isZero(length)) return gas
  if (exceeds32(length) || exceeds32(offset)) return refuseRange(frame, offset, length)
  return expandMemory(frame, <u64>load<u32>(offset) + <u64>load<u32>(length), gas)
}

export function copyPadded(to: usize, source: usize, sourceLength: u32, offset: usize, length: u32): void {
  const from = clamp32(offset)
  const present: u32 = from >= sourceLength ? 0 : min<u32>(length, sourceLength - from)
  if (present != 0) memory.copy(to, source + from, present)
  if (length > present) memory.fill(to + present, 0, length - present)
}
