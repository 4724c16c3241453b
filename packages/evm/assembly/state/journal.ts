/** Fixed-size undo records: kind, target record, old value. */
import {
  ACCOUNT_ADDRESS,
  ACCOUNT_BALANCE,
  ACCOUNT_CHANGED,
  ACCOUNT_CODE_HASH,
  ACCOUNT_EXISTS,
  ACCOUNT_FLAGS,
  ACCOUNT_HAS_STORAGE,
  ACCOUNT_LISTED,
  ACCOUNT_LOADED,
  ACCOUNT_NONCE,
  ACCOUNT_TOUCHED,
  FIRST_JOURNAL_RECORDS,
  JOURNAL,
  JOURNAL_CAPACITY,
  JOURNAL_RECORD_BYTES,
  LIMIT_JOURNAL,
  MORE_JOURNAL,
  SLOT_FLAGS,
  SLOT_LISTED,
  SLOT_LOADED,
  SLOT_VALUE,
} from '../../src/wasm/layout'
import { limit } from '../host'
import { reachMemory } from '../interpreter/memory'
import { copyWord } from '../words'

const OLD_SLOT_VALUE: u32 = 0
const OLD_SLOT_FLAGS: u32 = 1
const OLD_ACCOUNT_FLAGS: u32 = 2
const OLD_BALANCE: u32 = 3
const OLD_NONCE: u32 = 4
const OLD_CODE_HASH: u32 = 5

const TARGET: usize = 4
const OLD: usize = 8

const STICKY_ACCOUNT_FLAGS: u32 = ACCOUNT_LOADED | ACCOUNT_LISTED | ACCOUNT_HAS_STORAGE | ACCOUNT_CHANGED
const STICKY_SLOT_FLAGS: u32 = SLOT_LOADED | SLOT_LISTED
const RIPEMD: u64 = 3

const FIRST_END: usize = JOURNAL + FIRST_JOURNAL_RECORDS * JOURNAL_RECORD_BYTES
const MORE: usize = <usize>MORE_JOURNAL
const MORE_END: usize = MORE + (JOURNAL_CAPACITY - FIRST_JOURNAL_RECORDS) * JOURNAL_RECORD_BYTES

let top: usize = JOURNAL
/** End of the region that holds `top`. */
let end: usize = FIRST_END

export function clearJournal(): void {
  top = JOURNAL
  end = FIRST_END
}

// @ts-ignore: decorator
@inline
export function journalMark(): usize {
  return top
}

// @ts-ignore: decorator
@inline
function record(kind: u32, target: usize): usize {
  if (top == end) extend()
  const at = top
  store<u32>(at, kind)
  store<u32>(at, target, TARGET)
  top = at + JOURNAL_RECORD_BYTES
  return at + OLD
}

// @ts-ignore: decorator
@inline
export function rememberSlotValue(slot: usize): void {
  copyWord(record(OLD_SLOT_VALUE, slot), slot + SLOT_VALUE)
}

// @ts-ignore: decorator
@inline
export function rememberSlotFlags(slot: usize): void {
  store<u32>(record(OLD_SLOT_FLAGS, slot), load<u32>(slot, SLOT_FLAGS))
}

// @ts-ignore: decorator
@inline
export function rememberAccountFlags(account: usize): void {
  store<u32>(record(OLD_ACCOUNT_FLAGS, account), load<u32>(account, ACCOUNT_FLAGS))
}

export function rememberBalance(account: usize): void {
  copyWord(record(OLD_BALANCE, account), account + ACCOUNT_BALANCE)
}

export function rememberNonce(account: usize): void {
  store<u64>(record(OLD_NONCE, account), load<u64>(account, ACCOUNT_NONCE))
}

export function rememberCodeHash(account: usize): void {
  copyWord(record(OLD_CODE_HASH, account), account + ACCOUNT_CODE_HASH)
}

function extend(): void {
  if (end == MORE_END) limit(LIMIT_JOURNAL)
  top = MORE
  end = MORE_END
  reachMemory(end)
}

export function revertJournal(mark: usize): void {
  while (true) {
    if (top == MORE) {
      top = FIRST_END
      end = FIRST_END
    }
    if (top <= mark) return
    top -= JOURNAL_RECORD_BYTES
    const target = <usize>load<u32>(top, TARGET)
    switch (load<u32>(top)) {
      case OLD_SLOT_VALUE: {
        copyWord(target + SLOT_VALUE, top + OLD)
        break
      }
      case OLD_SLOT_FLAGS: {
        const kept = load<u32>(target, SLOT_FLAGS) & STICKY_SLOT_FLAGS
        store<u32>(target, kept | (load<u32>(top, OLD) & ~STICKY_SLOT_FLAGS), SLOT_FLAGS)
        break
      }
      case OLD_ACCOUNT_FLAGS: {
        revertAccountFlags(target, load<u32>(top, OLD))
        break
      }
      case OLD_BALANCE: {
        copyWord(target + ACCOUNT_BALANCE, top + OLD)
        break
      }
      case OLD_NONCE: {
        store<u64>(target, load<u64>(top, OLD), ACCOUNT_NONCE)
        break
      }
      case OLD_CODE_HASH: {
        copyWord(target + ACCOUNT_CODE_HASH, top + OLD)
        break
      }
    }
  }
}

/** Mainnet keeps Parity's touch of RIPEMD-160 in a failed call (EIP-161, note). */
function revertAccountFlags(account: usize, old: u32): void {
  const isRipemd = load<u64>(account, ACCOUNT_ADDRESS) == RIPEMD && (load<u64>(account, 8) | load<u64>(account, 16)) == 0
  let sticky = isRipemd ? STICKY_ACCOUNT_FLAGS | ACCOUNT_TOUCHED : STICKY_ACCOUNT_FLAGS
  // The record was made before the account was loaded, so its flag says nothing about existence.
  if ((old & ACCOUNT_LOADED) == 0) sticky |= ACCOUNT_EXISTS
  const kept = load<u32>(account, ACCOUNT_FLAGS) & sticky
  store<u32>(account, kept | (old & ~sticky), ACCOUNT_FLAGS)
}
