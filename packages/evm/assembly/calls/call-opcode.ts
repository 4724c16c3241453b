import {
  ACCOUNT_ADDRESS,
  CONTEXT,
  FRAME_ACCOUNT,
  FRAME_CALLER,
  FRAME_GAS,
  FRAME_CODE,
  FRAME_HALT,
  FRAME_HALT_OPCODE,
  FRAME_MEMORY,
  FRAME_PC,
  FRAME_SP,
  FRAME_STATIC,
  FRAME_VALUE,
  HALT_OUT_OF_GAS,
  HALT_NONE,
  HALT_WRITE_PROTECTION,
  KIND_CALL,
  KIND_CALLCODE,
  KIND_DELEGATECALL,
  KIND_STATICCALL,
  SCRATCH,
} from '../../src/wasm/layout'
import { payAccess } from '../interpreter/account-opcodes'
import { expandRange } from '../interpreter/memory'
import { accountAt, listAccesses } from '../state/accounts'
import { isZero, setSmall } from '../words'
import { Call } from './call'
import { calleeGas, delegateGas, STIPEND, valueGas } from './call-gas'
import { startCall } from './start-call'

const ZERO: usize = SCRATCH + 0x100

/** Returns false when the frame halts. */
export function callOpcode(frame: usize, kind: u32): bool {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const hasValue = kind == KIND_CALL || kind == KIND_CALLCODE
  // Operands: gas, address, value if any, input offset and length, output offset and length.
  const rest = hasValue ? sp - 96 : sp - 64
  const value = sp - 96
  const sends = hasValue && !isZero(value)
  if (sends && kind == KIND_CALL && load<u32>(frame, FRAME_STATIC)) return haltCall(frame, HALT_WRITE_PROTECTION)
  const account = accountAt(sp - 64)
  const gas = chargeCall(frame, kind, account, sends, rest)
  if (gas < 0) return haltCall(frame, HALT_OUT_OF_GAS)
  const forwarded = calleeGas(sp - 32, gas)
  if (forwarded < 0) return haltCall(frame, HALT_OUT_OF_GAS)
  listAccesses()

  store<i64>(frame, gas - forwarded, FRAME_GAS)
  Call.kind = kind
  Call.gas = sends ? forwarded + STIPEND : forwarded
  Call.codeAccount = account
  setParties(frame, kind, account, value)
  const memoryAt = <usize>load<u32>(frame, FRAME_MEMORY)
  Call.inputLength = load<u32>(rest - 64)
  Call.input = memoryAt + load<u32>(rest - 32)
  Call.outputLength = load<u32>(rest - 128)
  Call.output = memoryAt + load<u32>(rest - 96)
  store<u32>(frame, rest - 128, FRAME_SP)
  store<u32>(frame, load<u32>(frame, FRAME_PC) + 1, FRAME_PC)
  startCall()
  return true
}

function chargeCall(frame: usize, kind: u32, account: usize, sends: bool, rest: usize): i64 {
  let gas = payAccess(account, load<i64>(frame, FRAME_GAS))
  if (gas < 0) return gas
  gas -= delegateGas(account)
  if (gas < 0) return gas
  gas = expandBoth(frame, rest, gas)
  if (gas < 0) return gas
  return gas - valueGas(kind, account, sends)
}

function expandBoth(frame: usize, rest: usize, gas: i64): i64 {
  const left = expandRange(frame, rest - 32, rest - 64, gas)
  return left < 0 ? left : expandRange(frame, rest - 96, rest - 128, left)
}

function setParties(frame: usize, kind: u32, account: usize, value: usize): void {
  const self = <usize>load<u32>(frame, FRAME_ACCOUNT)
  Call.isStatic = kind == KIND_STATICCALL || load<u32>(frame, FRAME_STATIC) != 0
  Call.storageAccount = kind == KIND_CALL || kind == KIND_STATICCALL ? account : self
  Call.caller = kind == KIND_DELEGATECALL ? frame + FRAME_CALLER : self + ACCOUNT_ADDRESS
  if (kind == KIND_DELEGATECALL) Call.value = frame + FRAME_VALUE
  else if (kind == KIND_STATICCALL) {
    setSmall(ZERO, 0)
    Call.value = ZERO
  } else Call.value = value
}

export function haltCall(frame: usize, reason: i32): bool {
  if (load<u32>(frame, FRAME_HALT) == HALT_NONE) store<u32>(frame, reason, FRAME_HALT)
  const opcode = <u32>load<u8>(<usize>load<u32>(frame, FRAME_CODE) + load<u32>(frame, FRAME_PC))
  store<u32>(frame, opcode, FRAME_HALT_OPCODE)
  return false
}
