import {
  ACCOUNT_BALANCE,
  ACCOUNT_PRECOMPILE,
  CONTEXT,
  HALT_BALANCE,
  HALT_DEPTH,
  HALT_NONE,
  HALT_OUT_OF_GAS,
  HALT_PRECOMPILE,
  KIND_CALL,
  KIND_CALLCODE,
  KIND_DELEGATECALL,
  KIND_STATICCALL,
  MAX_FRAMES,
  PARAM_CLEARS_EMPTY,
  SCRATCH,
  STATUS_HALT,
  STATUS_RETURN,
} from '../../src/wasm/layout'
import { codeOf } from '../code/account-code'
import { precompile } from '../host'
import { addBalance, createIfAbsent, ensureLoaded, subtractBalance, touch } from '../state/accounts'
import { journalMark, revertJournal } from '../state/journal'
import { isLess, isZero } from '../words'
import { Call } from './call'
import { codeTarget } from './call-gas'
import { endCall, failCall } from './end-call'
import { enterCode } from './enter'
import { nextDepth } from './frames'
import { isInCore, precompileInCore } from './precompiles'
import { setReturnDataSize } from './return-data'
import { isTraced, traceCall } from './tracing'

/** `precompile` returns this for a bad input, and another negative number for too little gas. */
const PRECOMPILE_REFUSES: i64 = -2
const LENGTH_OUT: usize = SCRATCH + 0x140

export function startCall(): void {
  setReturnDataSize(0)
  Call.gasLimit = Call.gas
  if (isTraced()) traceCall(Call.kind == KIND_DELEGATECALL ? Call.storageAccount : Call.caller, Call.codeAccount)
  if (nextDepth() >= <u32>MAX_FRAMES) return failCall(HALT_DEPTH)
  if (!canPay()) return failCall(HALT_BALANCE)
  const mark = journalMark()
  transfer()
  const id = load<u32>(Call.codeAccount, ACCOUNT_PRECOMPILE)
  if (id != 0) return runPrecompile(id, mark)
  const code = codeOf(codeTarget())
  if (code == 0) return endCall(STATUS_RETURN, HALT_NONE)
  enterCode(code, mark)
}

// @ts-ignore: decorator
@inline
function canPay(): bool {
  if (Call.kind != KIND_CALL && Call.kind != KIND_CALLCODE) return true
  if (isZero(Call.value)) return true
  const payer = payerOf()
  ensureLoaded(payer)
  return !isLess(payer + ACCOUNT_BALANCE, Call.value)
}

// @ts-ignore: decorator
@inline
function payerOf(): usize {
  return Call.caller
}

/** A call without value still touches its account (EIP-161) and creates it before Spurious Dragon. */
function transfer(): void {
  const kind = Call.kind
  if (kind == KIND_CALL) {
    const to = Call.storageAccount
    if (isZero(Call.value)) {
      if (!load<u32>(CONTEXT, PARAM_CLEARS_EMPTY)) createIfAbsent(to)
      touch(to)
    } else {
      subtractBalance(payerOf(), Call.value)
      addBalance(to, Call.value)
    }
  } else if (kind == KIND_STATICCALL) touch(Call.storageAccount)
}

/** EIP-7702: a delegation to a precompile runs no code. */
function runPrecompile(id: u32, mark: usize): void {
  const used = isInCore(id) ? precompileInCore(id, LENGTH_OUT) : precompile(id, Call.input, Call.inputLength, Call.gas, LENGTH_OUT)
  if (used < 0) {
    revertJournal(mark)
    Call.gas = 0
    return endCall(STATUS_HALT, used == PRECOMPILE_REFUSES ? HALT_PRECOMPILE : HALT_OUT_OF_GAS)
  }
  Call.gas -= used
  setReturnDataSize(load<u32>(LENGTH_OUT))
  endCall(STATUS_RETURN, HALT_NONE)
}
