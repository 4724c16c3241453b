import {
  ACCOUNT_BALANCE,
  BLOB_HASHES,
  CONTEXT,
  CONTEXT_BLOB_HASH_COUNT,
  CONTEXT_NUMBER,
  FRAME_ACCOUNT,
  FRAME_INPUT,
  FRAME_INPUT_LENGTH,
  PARAM_EXP_BYTE,
  SCRATCH,
} from '../../src/wasm/layout'
import { blockHash } from '../host'
import { power } from '../math'
import { ensureLoaded } from '../state/accounts'
import { copyWord, exceeds32, reverseWord, setSmall } from '../words'
import { copyPadded } from './memory'

const BLOCK_HASH_WINDOW: u64 = 256

// @ts-ignore: decorator
@inline
export function calldataWord(frame: usize, at: usize): void {
  const length = load<u32>(frame, FRAME_INPUT_LENGTH)
  const input = <usize>load<u32>(frame, FRAME_INPUT)
  if (!exceeds32(at) && <u64>load<u32>(at) + 32 <= <u64>length) reverseWord(at, input + load<u32>(at))
  else calldataEnd(at, input, length)
}

function calldataEnd(at: usize, input: usize, length: u32): void {
  copyPadded(SCRATCH, input, length, at, 32)
  reverseWord(at, SCRATCH)
}

export function opBlockhash(at: usize): void {
  const number = load<u64>(at)
  const current = load<u64>(CONTEXT, CONTEXT_NUMBER)
  const huge = (load<u64>(at, 8) | load<u64>(at, 16) | load<u64>(at, 24)) != 0
  if (huge || number >= current || current - number > BLOCK_HASH_WINDOW || !blockHash(number, SCRATCH)) setSmall(at, 0)
  else reverseWord(at, SCRATCH)
}

/** EIP-4844 */
export function opBlobhash(at: usize): void {
  if (exceeds32(at) || load<u32>(at) >= load<u32>(CONTEXT, CONTEXT_BLOB_HASH_COUNT)) setSmall(at, 0)
  else copyWord(at, BLOB_HASHES + (<usize>load<u32>(at) << 5))
}

export function opSelfbalance(frame: usize, at: usize): void {
  const account = <usize>load<u32>(frame, FRAME_ACCOUNT)
  ensureLoaded(account)
  copyWord(at, account + ACCOUNT_BALANCE)
}

export function opExp(frame: usize, sp: usize, gas: i64): i64 {
  const left = gas - expGas(sp - 64)
  if (left >= 0) power(sp - 32, sp - 64, sp - 64)
  return left
}

export function expGas(exponent: usize): i64 {
  return <i64>byteLength(exponent) * <i64>load<u32>(CONTEXT, PARAM_EXP_BYTE)
}

function byteLength(word: usize): u32 {
  for (let offset: i32 = 24; offset >= 0; offset -= 8) {
    const limb = load<u64>(word + offset)
    if (limb != 0) return <u32>offset + 8 - <u32>(clz(limb) >> 3)
  }
  return 0
}
