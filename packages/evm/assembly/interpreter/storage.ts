import {
  CONTEXT,
  FRAME_ACCOUNT,
  FRAME_STATIC,
  HALT_STORAGE_SENTRY,
  HALT_WRITE_PROTECTION,
  PARAM_ACCESS_LISTS,
  PARAM_COLD_SLOT,
  PARAM_COLD_SLOT_EXTRA,
  PARAM_NET_STORAGE,
  PARAM_STORAGE_CLEAR_REFUND,
  PARAM_STORAGE_NOOP,
  PARAM_STORAGE_RESET,
  PARAM_STORAGE_SENTRY,
  PARAM_STORAGE_SET,
  SLOT_ORIGINAL,
  SLOT_TRANSIENT,
  SLOT_VALUE,
} from '../../src/wasm/layout'
import { addRefund } from '../state/refund'
import { ensureSlotLoaded, findSlot, listSlot, setSlotValue, slotAt, warmSlot } from '../state/slots'
import { copyWord, equalWords, isZero, setSmall } from '../words'
import { refuse } from './halt'

// @ts-ignore: decorator
@inline
function param(offset: usize): i64 {
  return <i64>load<u32>(CONTEXT + offset)
}

export function opSload(frame: usize, sp: usize, gas: i64): i64 {
  const slot = slotAt(load<u32>(frame, FRAME_ACCOUNT), sp - 32, 0)
  if (param(PARAM_ACCESS_LISTS) && warmSlot(slot)) {
    gas -= param(PARAM_COLD_SLOT_EXTRA)
    if (gas < 0) return gas
    listSlot(slot)
  }
  ensureSlotLoaded(slot)
  copyWord(sp - 32, slot + SLOT_VALUE)
  return gas
}

export function opSstore(frame: usize, sp: usize, gas: i64): i64 {
  if (load<u32>(frame, FRAME_STATIC)) return refuse(frame, HALT_WRITE_PROTECTION)
  if (gas <= param(PARAM_STORAGE_SENTRY)) {
    if (param(PARAM_STORAGE_SENTRY)) return refuse(frame, HALT_STORAGE_SENTRY)
  }
  const slot = slotAt(load<u32>(frame, FRAME_ACCOUNT), sp - 32, 0)
  const value = sp - 64
  const cold = param(PARAM_ACCESS_LISTS) != 0 && warmSlot(slot)
  if (cold) gas -= param(PARAM_COLD_SLOT)
  ensureSlotLoaded(slot)
  gas -= storeGas(slot, value)
  if (gas < 0) return gas
  if (cold) listSlot(slot)
  addRefund(storeRefund(slot, value))
  if (!equalWords(slot + SLOT_VALUE, value)) setSlotValue(slot, value)
  return gas
}

export function storeGas(slot: usize, value: usize): i64 {
  return param(PARAM_NET_STORAGE) ? netGas(slot, value) : simpleGas(slot, value)
}

/** Yellow paper, until Constantinople and in Petersburg. */
function simpleGas(slot: usize, value: usize): i64 {
  return isZero(slot + SLOT_VALUE) && !isZero(value) ? param(PARAM_STORAGE_SET) : param(PARAM_STORAGE_RESET)
}

/** EIP-1283, EIP-2200. */
function netGas(slot: usize, value: usize): i64 {
  const original = slot + SLOT_ORIGINAL
  const current = slot + SLOT_VALUE
  if (equalWords(current, value) || !equalWords(original, current)) return param(PARAM_STORAGE_NOOP)
  return isZero(original) ? param(PARAM_STORAGE_SET) : param(PARAM_STORAGE_RESET)
}

export function storeRefund(slot: usize, value: usize): i64 {
  if (param(PARAM_NET_STORAGE)) return netRefund(slot, value)
  return isZero(value) && !isZero(slot + SLOT_VALUE) ? param(PARAM_STORAGE_CLEAR_REFUND) : 0
}

function netRefund(slot: usize, value: usize): i64 {
  const original = slot + SLOT_ORIGINAL
  const current = slot + SLOT_VALUE
  if (equalWords(current, value)) return 0
  const clears = param(PARAM_STORAGE_CLEAR_REFUND)
  if (equalWords(original, current)) return !isZero(original) && isZero(value) ? clears : 0
  let refund: i64 = 0
  if (!isZero(original)) {
    if (isZero(current)) refund -= clears
    if (isZero(value)) refund += clears
  }
  if (equalWords(original, value)) {
    const paid = isZero(original) ? param(PARAM_STORAGE_SET) : param(PARAM_STORAGE_RESET)
    refund += paid - param(PARAM_STORAGE_NOOP)
  }
  return refund
}

/** EIP-1153 */
export function opTload(frame: usize, sp: usize, gas: i64): i64 {
  const slot = findSlot(load<u32>(frame, FRAME_ACCOUNT), sp - 32, SLOT_TRANSIENT)
  if (slot == 0) setSmall(sp - 32, 0)
  else copyWord(sp - 32, slot + SLOT_VALUE)
  return gas
}

export function opTstore(frame: usize, sp: usize, gas: i64): i64 {
  if (load<u32>(frame, FRAME_STATIC)) return refuse(frame, HALT_WRITE_PROTECTION)
  setSlotValue(slotAt(load<u32>(frame, FRAME_ACCOUNT), sp - 32, SLOT_TRANSIENT), sp - 64)
  return gas
}
