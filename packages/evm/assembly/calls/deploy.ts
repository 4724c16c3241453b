import {
  CODE_BYTES,
  CONTEXT,
  FRAME_ACCOUNT,
  FRAME_GAS,
  FRAME_HALT,
  FRAME_HALT_AMOUNT,
  FRAME_RETURN,
  FRAME_RETURN_LENGTH,
  HALT_CODE_EF,
  HALT_CODE_SIZE,
  HALT_CODE_STORE_OUT_OF_GAS,
  PARAM_CREATION_MUST_PAY,
  PARAM_MAX_CODE_BYTES,
  PARAM_REJECTS_EF,
  SCRATCH,
  STATUS_HALT,
  STATUS_RETURN,
} from '../../src/wasm/layout'
import { allocateCode, findCode, sealCode } from '../code/records'
import { keepCode } from '../host'
import { keccak256Word } from '../math'
import { setCodeHash } from '../state/accounts'

const CODE_BYTE_GAS: i64 = 200
const EOF_BYTE: u8 = 0xef
const HASH: usize = SCRATCH + 0x300

/** Returns STATUS_RETURN or STATUS_HALT. The checks are in geth's order, because each failure has its own text. */
export function deploy(frame: usize): i32 {
  const code = <usize>load<u32>(frame, FRAME_RETURN)
  const length = load<u32>(frame, FRAME_RETURN_LENGTH)
  const limit = load<u32>(CONTEXT, PARAM_MAX_CODE_BYTES)
  if (length != 0 && load<u8>(code) == EOF_BYTE && load<u32>(CONTEXT, PARAM_REJECTS_EF)) return halt(frame, HALT_CODE_EF)
  const gas = load<i64>(frame, FRAME_GAS) - CODE_BYTE_GAS * <i64>length
  if (gas < 0) {
    if (load<u32>(CONTEXT, PARAM_CREATION_MUST_PAY)) return halt(frame, HALT_CODE_STORE_OUT_OF_GAS)
    return STATUS_RETURN
  }
  if (limit != 0 && length > limit) {
    store<u32>(frame, length, FRAME_HALT_AMOUNT)
    return halt(frame, HALT_CODE_SIZE)
  }
  store<i64>(frame, gas, FRAME_GAS)
  if (length != 0) storeCode(load<u32>(frame, FRAME_ACCOUNT), code, length)
  return STATUS_RETURN
}

function storeCode(account: usize, code: usize, length: u32): void {
  keccak256Word(code, length, HASH)
  let record = findCode(HASH)
  if (record == 0) {
    record = allocateCode(HASH, length)
    memory.copy(load<u32>(record, CODE_BYTES), code, length)
    sealCode(record)
  }
  keepCode(HASH, code, length)
  setCodeHash(account, HASH, record)
}

function halt(frame: usize, reason: i32): i32 {
  store<u32>(frame, reason, FRAME_HALT)
  return STATUS_HALT
}
