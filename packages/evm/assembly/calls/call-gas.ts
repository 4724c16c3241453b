/** Gas of the CALL family beyond the opcode's static gas (EIP-150, 158, 2929, 7702). */
import {
  ACCOUNT_WARM,
  CODE_DELEGATE,
  CODE_DELEGATES,
  CONTEXT,
  KIND_CALL,
  PARAM_CLEARS_EMPTY,
  PARAM_COLD_ACCOUNT,
  PARAM_DELEGATIONS,
  PARAM_KEEPS_64TH,
  PARAM_WARM_ACCESS,
} from '../../src/wasm/layout'
import { codeOf } from '../code/account-code'
import { accountAt, exists, isEmpty, raiseFlags, warmAccount } from '../state/accounts'

const VALUE_GAS: i64 = 9000
const NEW_ACCOUNT_GAS: i64 = 25000
export const STIPEND: i64 = 2300

let target: usize = 0

// @ts-ignore: decorator
@inline
export function codeTarget(): usize {
  return target
}

/** EIP-7702: the delegate of the outermost call is warm without a charge. */
export function warmDelegate(account: usize): void {
  target = account
  if (!load<u32>(CONTEXT, PARAM_DELEGATIONS)) return
  const code = codeOf(account)
  if (code == 0 || !load<u32>(code, CODE_DELEGATES)) return
  target = accountAt(code + CODE_DELEGATE)
  raiseFlags(target, ACCOUNT_WARM)
}

export function delegateGas(account: usize): i64 {
  target = account
  if (!load<u32>(CONTEXT, PARAM_DELEGATIONS)) return 0
  const code = codeOf(account)
  if (code == 0 || !load<u32>(code, CODE_DELEGATES)) return 0
  target = accountAt(code + CODE_DELEGATE)
  return warmAccount(target) ? load<u32>(CONTEXT, PARAM_COLD_ACCOUNT) : load<u32>(CONTEXT, PARAM_WARM_ACCESS)
}

export function valueGas(kind: u32, account: usize, sends: bool): i64 {
  let gas: i64 = sends ? VALUE_GAS : 0
  if (kind != KIND_CALL) return gas
  const creates = load<u32>(CONTEXT, PARAM_CLEARS_EMPTY) ? sends && isEmpty(account) : !exists(account)
  if (creates) gas += NEW_ACCOUNT_GAS
  return gas
}

/** At most all but one 64th, or before EIP-150 the requested gas; negative when the caller lacks it. */
export function calleeGas(asked: usize, available: i64): i64 {
  const huge = (load<u64>(asked, 8) | load<u64>(asked, 16) | load<u64>(asked, 24)) != 0 || load<i64>(asked) < 0
  if (load<u32>(CONTEXT, PARAM_KEEPS_64TH)) {
    const most = available - (available >> 6)
    return huge || load<i64>(asked) > most ? most : load<i64>(asked)
  }
  return huge || load<i64>(asked) > available ? -1 : load<i64>(asked)
}
