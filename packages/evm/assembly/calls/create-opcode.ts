import {
  ACCOUNT_NONCE,
  CONTEXT,
  FRAME_ACCOUNT,
  FRAME_GAS,
  FRAME_HALT_AMOUNT,
  FRAME_MEMORY,
  FRAME_PC,
  FRAME_SP,
  FRAME_STATIC,
  HALT_INIT_CODE_SIZE,
  HALT_OUT_OF_GAS,
  HALT_WRITE_PROTECTION,
  KIND_CREATE2,
  PARAM_INIT_CODE_WORD,
  PARAM_KEEPS_64TH,
  PARAM_MAX_INIT_CODE_BYTES,
} from '../../src/wasm/layout'
import { expandRange, rangeProblem } from '../interpreter/memory'
import { ensureLoaded } from '../state/accounts'
import { clamp32, exceeds32 } from '../words'
import { Call } from './call'
import { haltCall } from './call-opcode'
import { createAddress, create2Address } from './create-address'
import { startCreation } from './start-creation'

const HASH_WORD_GAS: i64 = 6

export function createOpcode(frame: usize, kind: u32): bool {
  if (load<u32>(frame, FRAME_STATIC)) return haltCall(frame, HALT_WRITE_PROTECTION)
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const length = sp - 96
  if (isInitCodeTooLong(length)) return haltLongInitCode(frame, sp - 64, length)
  const gas = chargeCreation(frame, sp, kind)
  if (gas < 0) return haltCall(frame, HALT_OUT_OF_GAS)
  const forwarded = load<u32>(CONTEXT, PARAM_KEEPS_64TH) ? gas - (gas >> 6) : gas
  store<i64>(frame, gas - forwarded, FRAME_GAS)
  Call.kind = kind
  Call.gas = forwarded
  Call.caller = <usize>load<u32>(frame, FRAME_ACCOUNT)
  Call.value = sp - 32
  Call.isStatic = false
  Call.input = <usize>load<u32>(frame, FRAME_MEMORY) + load<u32>(sp - 64)
  Call.inputLength = load<u32>(length)
  Call.outputLength = 0
  store<u32>(frame, kind == KIND_CREATE2 ? sp - 128 : sp - 96, FRAME_SP)
  store<u32>(frame, load<u32>(frame, FRAME_PC) + 1, FRAME_PC)
  ensureLoaded(Call.caller)
  const nonce = load<u64>(Call.caller, ACCOUNT_NONCE)
  const address = kind == KIND_CREATE2
    ? create2Address(Call.caller, sp - 128, Call.input, Call.inputLength)
    : createAddress(Call.caller, nonce)
  startCreation(address, true)
  return true
}

export function isInitCodeTooLong(length: usize): bool {
  const limit = load<u32>(CONTEXT, PARAM_MAX_INIT_CODE_BYTES)
  return limit != 0 && (exceeds32(length) || load<u32>(length) > limit)
}

/** A range that has no price comes first, as in geth. */
export function longInitCodeProblem(offset: usize, length: usize): i32 {
  const problem = rangeProblem(offset, length)
  return problem == HALT_OUT_OF_GAS ? HALT_INIT_CODE_SIZE : problem
}

function haltLongInitCode(frame: usize, offset: usize, length: usize): bool {
  store<u32>(frame, clamp32(length), FRAME_HALT_AMOUNT)
  return haltCall(frame, longInitCodeProblem(offset, length))
}

function chargeCreation(frame: usize, sp: usize, kind: u32): i64 {
  const gas = expandRange(frame, sp - 64, sp - 96, load<i64>(frame, FRAME_GAS))
  if (gas < 0) return gas
  const words = <i64>((<u64>load<u32>(sp - 96) + 31) >> 5)
  const wordGas = <i64>load<u32>(CONTEXT, PARAM_INIT_CODE_WORD) + (kind == KIND_CREATE2 ? HASH_WORD_GAS : 0)
  return gas - words * wordGas
}
