import {
  FRAME_CODE,
  FRAME_CODE_LENGTH,
  FRAME_INPUT,
  FRAME_INPUT_LENGTH,
  FRAME_MEMORY,
  HALT_RETURN_DATA_BOUNDS,
  RETURN_DATA,
} from '../../src/wasm/layout'
import { keccak256Word } from '../math'
import { exceeds32, isLess, isZero } from '../words'
import { refuse } from './halt'
import { copyPadded, expandMemory, expandRange, refuseRange } from './memory'
import { returnDataSize } from '../calls/return-data'

const COPY_WORD_GAS: i64 = 3
const KECCAK_WORD_GAS: i64 = 6

// @ts-ignore: decorator
@inline
function words(length: u32): i64 {
  return <i64>((<u64>length + 31) >> 5)
}

// @ts-ignore: decorator
@inline
function copyFrom(frame: usize, sp: usize, gas: i64, source: usize, sourceLength: u32): i64 {
  const left = expandRange(frame, sp - 32, sp - 96, gas)
  if (left < 0) return left
  const length = load<u32>(sp - 96)
  const paid = left - COPY_WORD_GAS * words(length)
  if (paid < 0 || length == 0) return paid
  copyPadded(<usize>load<u32>(frame, FRAME_MEMORY) + load<u32>(sp - 32), source, sourceLength, sp - 64, length)
  return paid
}

export function opCalldatacopy(frame: usize, sp: usize, gas: i64): i64 {
  return copyFrom(frame, sp, gas, load<u32>(frame, FRAME_INPUT), load<u32>(frame, FRAME_INPUT_LENGTH))
}

export function opCodecopy(frame: usize, sp: usize, gas: i64): i64 {
  return copyFrom(frame, sp, gas, load<u32>(frame, FRAME_CODE), load<u32>(frame, FRAME_CODE_LENGTH))
}

/** EIP-211: a range past the end of the return data fails, even an empty one. */
export function opReturndatacopy(frame: usize, sp: usize, gas: i64): i64 {
  const left = expandRange(frame, sp - 32, sp - 96, gas)
  if (left < 0) return left
  const length = load<u32>(sp - 96)
  const paid = left - COPY_WORD_GAS * words(length)
  if (paid < 0) return paid
  const size = returnDataSize()
  if (exceeds32(sp - 64) || <u64>load<u32>(sp - 64) + <u64>length > <u64>size) return refuse(frame, HALT_RETURN_DATA_BOUNDS)
  // memory.copy traps beyond the end of the linear memory even if the range is empty.
  if (length != 0) memory.copy(<usize>load<u32>(frame, FRAME_MEMORY) + load<u32>(sp - 32), RETURN_DATA + <usize>load<u32>(sp - 64), length)
  return paid
}

function farther(a: usize, b: usize): usize {
  return isLess(a, b) ? b : a
}

/** EIP-5656. Operands: destination, source, length. */
export function opMcopy(frame: usize, sp: usize, gas: i64): i64 {
  if (isZero(sp - 96)) return gas
  if (exceeds32(sp - 96) || exceeds32(sp - 32) || exceeds32(sp - 64)) return refuseRange(frame, farther(sp - 32, sp - 64), sp - 96)
  const to = load<u32>(sp - 32)
  const from = load<u32>(sp - 64)
  const length = load<u32>(sp - 96)
  const left = expandMemory(frame, <u64>max<u32>(to, from) + <u64>length, gas)
  if (left < 0) return left
  const paid = left - COPY_WORD_GAS * words(length)
  if (paid < 0) return paid
  const base = <usize>load<u32>(frame, FRAME_MEMORY)
  memory.copy(base + to, base + from, length)
  return paid
}

export function opKeccak256(frame: usize, sp: usize, gas: i64): i64 {
  const left = expandRange(frame, sp - 32, sp - 64, gas)
  if (left < 0) return left
  const length = load<u32>(sp - 64)
  const paid = left - KECCAK_WORD_GAS * words(length)
  if (paid < 0) return paid
  const offset = length == 0 ? 0 : <usize>load<u32>(sp - 32)
  keccak256Word(<usize>load<u32>(frame, FRAME_MEMORY) + offset, length, sp - 64)
  return paid
}
