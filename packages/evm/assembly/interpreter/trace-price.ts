import {
  ACCOUNT_BALANCE,
  ACCOUNT_FLAGS,
  ACCOUNT_WARM,
  CODE_DELEGATE,
  CODE_DELEGATES,
  CONTEXT,
  FRAME_ACCOUNT,
  FRAME_MEMORY,
  FRAME_MEMORY_BYTES,
  HALT_NONE,
  HALT_OUT_OF_GAS,
  KIND_CALL,
  KIND_CALLCODE,
  KIND_DELEGATECALL,
  MEMORY_LIMIT,
  PARAM_ACCESS_LISTS,
  PARAM_CLEARS_EMPTY,
  PARAM_COLD_ACCOUNT,
  PARAM_COLD_ACCOUNT_EXTRA,
  PARAM_COLD_SLOT,
  PARAM_COLD_SLOT_EXTRA,
  PARAM_DELEGATIONS,
  PARAM_INIT_CODE_WORD,
  PARAM_KEEPS_64TH,
  PARAM_SELF_DESTRUCT_NEW_ACCOUNT,
  PARAM_WARM_ACCESS,
  SLOT_FLAGS,
  SLOT_WARM,
} from '../../src/wasm/layout'
import { valueGas } from '../calls/call-gas'
import { codeOf } from '../code/account-code'
import { accountAt, ensureLoaded, exists, isEmpty } from '../state/accounts'
import { ensureSlotLoaded, slotAt } from '../state/slots'
import { clamp32, exceeds32, isZero } from '../words'
import { expGas } from './environment'
import { endProblem, memoryGas, rangeProblem } from './memory'
import * as op from './opcodes'
import { storeGas } from './storage'

const COPY_WORD_GAS: i64 = 3
const KECCAK_WORD_GAS: i64 = 6
const LOG_BYTE_GAS: i64 = 8

// @ts-ignore: decorator
@inline
function param(offset: usize): i64 {
  return <i64>load<u32>(CONTEXT + offset)
}

/** Why the memory of the step that `dynamicGas` saw last cannot be had at any price, or HALT_NONE. */
export let memoryProblem: i32 = HALT_NONE

export function dynamicGas(frame: usize, opcode: u32, sp: usize, gas: i64): i64 {
  memoryProblem = HALT_NONE
  switch (opcode) {
    case op.EXP:
      return expGas(sp - 64)
    case op.KECCAK256:
      return range(frame, sp - 32, sp - 64) + KECCAK_WORD_GAS * words(sp - 64)
    case op.BALANCE:
    case op.EXTCODESIZE:
    case op.EXTCODEHASH:
      return coldAccount(accountAt(sp - 32))
    case op.EXTCODECOPY:
      return coldAccount(accountAt(sp - 32)) + range(frame, sp - 64, sp - 128) + COPY_WORD_GAS * words(sp - 128)
    case op.CALLDATACOPY:
    case op.CODECOPY:
    case op.RETURNDATACOPY:
      return range(frame, sp - 32, sp - 96) + COPY_WORD_GAS * words(sp - 96)
    case op.MCOPY:
      return max(range(frame, sp - 32, sp - 96), range(frame, sp - 64, sp - 96)) + COPY_WORD_GAS * words(sp - 96)
    case op.MLOAD:
    case op.MSTORE:
      return wordAt(frame, sp - 32, 32)
    case op.MSTORE8:
      return wordAt(frame, sp - 32, 1)
    case op.SLOAD:
    case op.SSTORE:
      return storageGas(frame, opcode, sp)
    case op.LOG0:
    case op.LOG1:
    case op.LOG2:
    case op.LOG3:
    case op.LOG4:
      return range(frame, sp - 32, sp - 64) + LOG_BYTE_GAS * <i64>clamp32(sp - 64)
    case op.RETURN:
    case op.REVERT:
      return range(frame, sp - 32, sp - 64)
    case op.CREATE:
      return range(frame, sp - 64, sp - 96) + param(PARAM_INIT_CODE_WORD) * words(sp - 96)
    case op.CREATE2:
      return range(frame, sp - 64, sp - 96) + (param(PARAM_INIT_CODE_WORD) + KECCAK_WORD_GAS) * words(sp - 96)
    case op.CALL:
      return callGas(frame, KIND_CALL, sp, gas)
    case op.CALLCODE:
      return callGas(frame, KIND_CALLCODE, sp, gas)
    case op.DELEGATECALL:
    case op.STATICCALL:
      return callGas(frame, KIND_DELEGATECALL, sp, gas)
    case op.SELFDESTRUCT:
      return destructionGas(frame, sp)
  }
  return 0
}

function words(length: usize): i64 {
  return <i64>((<u64>clamp32(length) + 31) >> 5)
}

function range(frame: usize, offset: usize, length: usize): i64 {
  if (isZero(length)) return 0
  if (exceeds32(offset) || exceeds32(length)) memoryProblem = rangeProblem(offset, length)
  return expansion(frame, <u64>clamp32(offset) + <u64>clamp32(length))
}

function wordAt(frame: usize, offset: usize, length: u64): i64 {
  if (exceeds32(offset)) memoryProblem = endProblem(offset, length)
  return expansion(frame, <u64>clamp32(offset) + length)
}

function expansion(frame: usize, end: u64): i64 {
  const before = <u64>load<u32>(frame, FRAME_MEMORY_BYTES)
  if (end > before && <u64>load<u32>(frame, FRAME_MEMORY) + end > <u64>MEMORY_LIMIT && memoryProblem == HALT_NONE) {
    memoryProblem = HALT_OUT_OF_GAS
  }
  return end <= before ? 0 : <i64>(memoryGas((end + 31) & ~31) - memoryGas(before))
}

function isCold(account: usize): bool {
  return load<u32>(CONTEXT, PARAM_ACCESS_LISTS) != 0 && (load<u32>(account, ACCOUNT_FLAGS) & ACCOUNT_WARM) == 0
}

function coldAccount(account: usize): i64 {
  return isCold(account) ? param(PARAM_COLD_ACCOUNT_EXTRA) : 0
}

function storageGas(frame: usize, opcode: u32, sp: usize): i64 {
  const slot = slotAt(load<u32>(frame, FRAME_ACCOUNT), sp - 32, 0)
  const cold = load<u32>(CONTEXT, PARAM_ACCESS_LISTS) != 0 && (load<u32>(slot, SLOT_FLAGS) & SLOT_WARM) == 0
  if (opcode == op.SLOAD) return cold ? param(PARAM_COLD_SLOT_EXTRA) : 0
  ensureSlotLoaded(slot)
  return storeGas(slot, sp - 64) + (cold ? param(PARAM_COLD_SLOT) : 0)
}

/** Includes the gas for the callee, as geth reports it. */
function callGas(frame: usize, kind: u32, sp: usize, gas: i64): i64 {
  const hasValue = kind == KIND_CALL || kind == KIND_CALLCODE
  const rest = hasValue ? sp - 96 : sp - 64
  const account = accountAt(sp - 64)
  const own =
    coldAccount(account) +
    delegateGas(account) +
    max(range(frame, rest - 32, rest - 64), range(frame, rest - 96, rest - 128)) +
    valueGas(kind, account, hasValue && !isZero(sp - 96))
  const asked = sp - 32
  const huge = (load<u64>(asked, 8) | load<u64>(asked, 16) | load<u64>(asked, 24)) != 0 || load<i64>(asked) < 0
  const wanted: i64 = huge ? i64.MAX_VALUE >> 1 : load<i64>(asked)
  const left = gas - own
  if (left < 0 || !load<u32>(CONTEXT, PARAM_KEEPS_64TH)) return own + wanted
  return own + min(wanted, left - (left >> 6))
}

function delegateGas(account: usize): i64 {
  if (!load<u32>(CONTEXT, PARAM_DELEGATIONS)) return 0
  const code = codeOf(account)
  if (code == 0 || !load<u32>(code, CODE_DELEGATES)) return 0
  const delegate = accountAt(code + CODE_DELEGATE)
  // The access to the account itself comes first and warms it.
  return delegate != account && isCold(delegate) ? param(PARAM_COLD_ACCOUNT) : param(PARAM_WARM_ACCESS)
}

function destructionGas(frame: usize, sp: usize): i64 {
  const heir = accountAt(sp - 32)
  const self = <usize>load<u32>(frame, FRAME_ACCOUNT)
  ensureLoaded(self)
  const creates = load<u32>(CONTEXT, PARAM_CLEARS_EMPTY) ? !isZero(self + ACCOUNT_BALANCE) && isEmpty(heir) : !exists(heir)
  return (isCold(heir) ? param(PARAM_COLD_ACCOUNT) : 0) + (creates ? param(PARAM_SELF_DESTRUCT_NEW_ACCOUNT) : 0)
}
