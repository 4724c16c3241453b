/** SELFDESTRUCT (EIP-150, 161, 2929, 3529, 6780). */
import {
  ACCOUNT_BALANCE,
  ACCOUNT_CREATED,
  ACCOUNT_DESTROYED,
  ACCOUNT_FLAGS,
  CONTEXT,
  FRAME_ACCOUNT,
  FRAME_GAS,
  FRAME_RETURN_LENGTH,
  FRAME_SP,
  FRAME_STATIC,
  HALT_OUT_OF_GAS,
  HALT_WRITE_PROTECTION,
  KIND_SELFDESTRUCT,
  PARAM_ACCESS_LISTS,
  PARAM_CLEARS_EMPTY,
  PARAM_COLD_ACCOUNT,
  PARAM_DESTROYS_ONLY_NEW,
  PARAM_SELF_DESTRUCT_NEW_ACCOUNT,
  PARAM_SELF_DESTRUCT_REFUND,
  SCRATCH,
  HALT_NONE,
  STATUS_RETURN,
} from '../../src/wasm/layout'
import {
  accountAt,
  addBalance,
  beginAccesses,
  clearBalance,
  createIfAbsent,
  ensureLoaded,
  exists,
  isEmpty,
  listAccesses,
  raiseFlags,
  subtractBalance,
  touch,
  warmAccount,
} from '../state/accounts'
import { addRefund } from '../state/refund'
import { copyWord, isZero } from '../words'
import { Call } from './call'
import { haltCall } from './call-opcode'
import { isTraced, traceCall, traceEnd } from './tracing'

const BALANCE: usize = SCRATCH + 0x320

export function selfDestruct(frame: usize): bool {
  if (load<u32>(frame, FRAME_STATIC)) return haltCall(frame, HALT_WRITE_PROTECTION)
  const self = <usize>load<u32>(frame, FRAME_ACCOUNT)
  const heir = accountAt(<usize>load<u32>(frame, FRAME_SP) - 32)
  let gas = load<i64>(frame, FRAME_GAS)
  beginAccesses()
  if (load<u32>(CONTEXT, PARAM_ACCESS_LISTS) && warmAccount(heir)) gas -= load<u32>(CONTEXT, PARAM_COLD_ACCOUNT)
  if (gas < 0) return haltCall(frame, HALT_OUT_OF_GAS)
  ensureLoaded(self)
  copyWord(BALANCE, self + ACCOUNT_BALANCE)
  if (createsHeir(heir)) gas -= load<u32>(CONTEXT, PARAM_SELF_DESTRUCT_NEW_ACCOUNT)
  if (gas < 0) return haltCall(frame, HALT_OUT_OF_GAS)
  listAccesses()
  store<i64>(frame, gas, FRAME_GAS)
  store<u32>(frame, 0, FRAME_RETURN_LENGTH)
  if (isTraced()) traceDestruction(self, heir)
  const destroyed = load<u32>(self, ACCOUNT_FLAGS) & ACCOUNT_DESTROYED
  if (!destroyed) addRefund(load<u32>(CONTEXT, PARAM_SELF_DESTRUCT_REFUND))
  const destroys = !load<u32>(CONTEXT, PARAM_DESTROYS_ONLY_NEW) || (load<u32>(self, ACCOUNT_FLAGS) & ACCOUNT_CREATED) != 0
  inherit(self, heir, destroys)
  return true
}

function createsHeir(heir: usize): bool {
  return load<u32>(CONTEXT, PARAM_CLEARS_EMPTY) ? !isZero(BALANCE) && isEmpty(heir) : !exists(heir)
}

/** An account that is its own heir keeps its balance only if it is not destroyed. */
function inherit(self: usize, heir: usize, destroys: bool): void {
  if (self != heir) {
    if (isZero(BALANCE)) {
      if (!load<u32>(CONTEXT, PARAM_CLEARS_EMPTY)) createIfAbsent(heir)
      touch(heir)
    } else {
      subtractBalance(self, BALANCE)
      addBalance(heir, BALANCE)
    }
  } else if (destroys) clearBalance(self)
  if (destroys) raiseFlags(self, ACCOUNT_DESTROYED)
}

function traceDestruction(self: usize, heir: usize): void {
  Call.kind = KIND_SELFDESTRUCT
  Call.gas = 0
  Call.value = BALANCE
  Call.inputLength = 0
  traceCall(self, heir)
  traceEnd(STATUS_RETURN, HALT_NONE, 0, 0, 0)
}
