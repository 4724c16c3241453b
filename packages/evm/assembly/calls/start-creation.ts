import {
  ACCOUNT_BALANCE,
  ACCOUNT_CREATED,
  ACCOUNT_FLAGS,
  ACCOUNT_HAS_STORAGE,
  ACCOUNT_NONCE,
  ACCOUNT_WARM,
  CONTEXT,
  HALT_BALANCE,
  HALT_COLLISION,
  HALT_DEPTH,
  HALT_NONCE,
  MAX_FRAMES,
  PARAM_CONTRACT_NONCE,
  STATUS_HALT,
  STATUS_RETURN,
} from '../../src/wasm/layout'
import { accountAt, addBalance, createIfAbsent, ensureLoaded, hasNoCode, raiseFlags, setNonce, subtractBalance } from '../state/accounts'
import { journalMark } from '../state/journal'
import { isLess, isZero } from '../words'
import { Call } from './call'
import { endCall, failCall } from './end-call'
import { enterInitCode } from './enter'
import { finishFrame } from './finish-frame'
import { nextDepth, topFrame } from './frames'
import { setReturnDataSize } from './return-data'
import { isTraced, traceCall } from './tracing'

const MAX_NONCE: u64 = 0xffffffffffffffff

/** The host has already counted the nonce of an outermost creation. */
export function startCreation(address: usize, countsNonce: bool): void {
  setReturnDataSize(0)
  const creator = Call.caller
  Call.gasLimit = Call.gas
  if (isTraced()) traceCall(creator, address)
  if (nextDepth() >= <u32>MAX_FRAMES) return failCall(HALT_DEPTH)
  ensureLoaded(creator)
  if (isLess(creator + ACCOUNT_BALANCE, Call.value)) return failCall(HALT_BALANCE)
  if (countsNonce) {
    const nonce = load<u64>(creator, ACCOUNT_NONCE)
    if (nonce == MAX_NONCE) return failCall(HALT_NONCE)
    setNonce(creator, nonce + 1)
  }
  const account = accountAt(address)
  // EIP-2929: warm without a charge, even if the creation fails.
  raiseFlags(account, ACCOUNT_WARM)
  if (isTaken(account)) {
    Call.gas = 0
    return endCall(STATUS_HALT, HALT_COLLISION)
  }
  const mark = journalMark()
  createIfAbsent(account)
  raiseFlags(account, ACCOUNT_CREATED)
  const firstNonce = load<u32>(CONTEXT, PARAM_CONTRACT_NONCE)
  if (firstNonce != 0) setNonce(account, firstNonce)
  if (!isZero(Call.value)) {
    subtractBalance(creator, Call.value)
    addBalance(account, Call.value)
  }
  Call.storageAccount = account
  Call.codeAccount = account
  enterInitCode(mark)
  // Without code no step runs, not even an implicit STOP.
  if (Call.inputLength == 0) finishFrame(topFrame(), STATUS_RETURN)
}

/** EIP-684, EIP-7610. */
function isTaken(account: usize): bool {
  ensureLoaded(account)
  return load<u64>(account, ACCOUNT_NONCE) != 0 || !hasNoCode(account) || (load<u32>(account, ACCOUNT_FLAGS) & ACCOUNT_HAS_STORAGE) != 0
}
