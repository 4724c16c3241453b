/** A delegated account shows its own code (EIP-7702). */
import {
  ACCOUNT_BALANCE,
  ACCOUNT_CODE_HASH,
  CONTEXT,
  FRAME_MEMORY,
  PARAM_ACCESS_LISTS,
  PARAM_COLD_ACCOUNT_EXTRA,
} from '../../src/wasm/layout'
import { codeBytes, codeLength, codeOf } from '../code/account-code'
import { accountAt, beginAccesses, ensureLoaded, exists, forgetUnpaid, isEmpty, listAccesses, warmAccount } from '../state/accounts'
import { copyWord, setSmall } from '../words'
import { copyPadded, expandRange } from './memory'

const COPY_WORD_GAS: i64 = 3

/** Returns the remaining gas, or a negative number. Call `listAccesses` once the step has paid for everything else too. */
// @ts-ignore: decorator
@inline
export function payAccess(account: usize, gas: i64): i64 {
  beginAccesses()
  if (!load<u32>(CONTEXT, PARAM_ACCESS_LISTS) || !warmAccount(account)) return gas
  const left = gas - <i64>load<u32>(CONTEXT, PARAM_COLD_ACCOUNT_EXTRA)
  if (left < 0) forgetUnpaid(account)
  return left
}

export function opBalance(frame: usize, sp: usize, gas: i64): i64 {
  const account = accountAt(sp - 32)
  gas = payAccess(account, gas)
  if (gas < 0) return gas
  listAccesses()
  ensureLoaded(account)
  copyWord(sp - 32, account + ACCOUNT_BALANCE)
  return gas
}

export function opExtcodesize(frame: usize, sp: usize, gas: i64): i64 {
  const account = accountAt(sp - 32)
  gas = payAccess(account, gas)
  if (gas < 0) return gas
  listAccesses()
  setSmall(sp - 32, codeLength(codeOf(account)))
  return gas
}

/** EIP-1052: zero for an absent or empty account. */
export function opExtcodehash(frame: usize, sp: usize, gas: i64): i64 {
  const account = accountAt(sp - 32)
  gas = payAccess(account, gas)
  if (gas < 0) return gas
  listAccesses()
  if (!exists(account) || isEmpty(account)) setSmall(sp - 32, 0)
  else copyWord(sp - 32, account + ACCOUNT_CODE_HASH)
  return gas
}

/** Operands: address, destination, offset, length. */
export function opExtcodecopy(frame: usize, sp: usize, gas: i64): i64 {
  const account = accountAt(sp - 32)
  gas = payAccess(account, gas)
  if (gas < 0) return gas
  const left = expandRange(frame, sp - 64, sp - 128, gas)
  if (left < 0) return left
  const length = load<u32>(sp - 128)
  const paid = left - COPY_WORD_GAS * <i64>((<u64>length + 31) >> 5)
  if (paid < 0) return paid
  listAccesses()
  const code = codeOf(account)
  if (length != 0) {
    copyPadded(<usize>load<u32>(frame, FRAME_MEMORY) + load<u32>(sp - 64), codeBytes(code), codeLength(code), sp - 96, length)
  }
  return paid
}
