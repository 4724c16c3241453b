import { ACCOUNT_CODE, ACCOUNT_CODE_HASH, CODE_BYTES, CODE_HASH, CODE_LENGTH } from '../../src/wasm/layout'
import { loadCode } from '../host'
import { ensureLoaded, hasNoCode } from '../state/accounts'
import { equalWords } from '../words'
import { findCode } from './records'

/** Returns 0 when the account has no code; the record is valid until the next code is loaded. */
export function codeOf(account: usize): usize {
  ensureLoaded(account)
  const known = <usize>load<u32>(account, ACCOUNT_CODE)
  if (known != 0 && equalWords(known + CODE_HASH, account + ACCOUNT_CODE_HASH)) return known
  if (hasNoCode(account)) return 0
  let record = findCode(account + ACCOUNT_CODE_HASH)
  if (record == 0) record = loadCode(account)
  store<u32>(account, record, ACCOUNT_CODE)
  return record
}

// @ts-ignore: decorator
@inline
export function codeLength(record: usize): u32 {
  return record == 0 ? 0 : load<u32>(record, CODE_LENGTH)
}

// @ts-ignore: decorator
@inline
export function codeBytes(record: usize): usize {
  return record == 0 ? 0 : <usize>load<u32>(record, CODE_BYTES)
}
