/** geth adds a refund with the price of a step, so a step shows the refund that it earns (core/vm/gas_table.go). */
import {
  ACCOUNT_DESTROYED,
  ACCOUNT_FLAGS,
  CONTEXT,
  FRAME_ACCOUNT,
  FRAME_SP,
  PARAM_SELF_DESTRUCT_REFUND,
} from '../../src/wasm/layout'
import { refundCounter } from '../state/refund'
import { slotAt } from '../state/slots'
import * as op from './opcodes'
import { isPriced } from './step-failure'
import { storeRefund } from './storage'

/** Expects `stepFailure` to have looked at the step, which loads the slot. */
export function stepRefund(frame: usize, opcode: u32): i64 {
  const before = refundCounter()
  if (!isPriced) return before
  const account = <usize>load<u32>(frame, FRAME_ACCOUNT)
  const sp = <usize>load<u32>(frame, FRAME_SP)
  if (opcode == op.SSTORE) return before + storeRefund(slotAt(account, sp - 32, 0), sp - 64)
  if (opcode != op.SELFDESTRUCT || load<u32>(account, ACCOUNT_FLAGS) & ACCOUNT_DESTROYED) return before
  return before + <i64>load<u32>(CONTEXT, PARAM_SELF_DESTRUCT_REFUND)
}
