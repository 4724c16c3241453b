import {
  ACCOUNT_ADDRESS,
  ACCOUNT_BALANCE,
  ACCOUNT_BYTES,
  ACCOUNT_CAPACITY,
  ACCOUNT_CHANGED,
  ACCOUNT_CODE,
  ACCOUNT_CODE_HASH,
  ACCOUNT_EXISTS,
  ACCOUNT_FLAGS,
  ACCOUNT_INDEX,
  ACCOUNT_INDEX_MASK,
  ACCOUNT_LISTED,
  ACCOUNT_LOADED,
  ACCOUNT_NONCE,
  ACCOUNT_POSITION,
  ACCOUNT_TOUCHED,
  ACCOUNT_WARM,
  ACCOUNTS,
  LIMIT_ACCOUNTS,
  MAX_UNPAID_ACCOUNTS,
} from '../../src/wasm/layout'
import { loadAccount, limit, openAccount } from '../host'
import { addTo, copyAddress, copyWord, equalWords, isZero, setLimbs, subtract } from '../words'
import { INDEX_GROWTH_BITS, INDEX_GROWTH_MASK, mix, SMALL_INDEX_MASK, topBits } from './hashing'
import { rememberAccountFlags, rememberBalance, rememberCodeHash, rememberNonce } from './journal'

let count: u32 = 0
let freePosition: u32 = 0
let indexMask: u32 = SMALL_INDEX_MASK

const EMPTY_HASH_0: u64 = 0x7bfad8045d85a470
const EMPTY_HASH_1: u64 = 0xe500b653ca82273b
const EMPTY_HASH_2: u64 = 0x927e7db2dcc703c0
const EMPTY_HASH_3: u64 = 0xc5d2460186f7233c

export function accountCount(): u32 {
  return count
}

export function clearAccounts(): void {
  clearIndex()
  count = 0
  indexMask = SMALL_INDEX_MASK
}

function clearIndex(): void {
  for (let i: u32 = 0; i < count; i++) {
    const account = ACCOUNTS + <usize>i * ACCOUNT_BYTES
    store<u32>(ACCOUNT_INDEX + (<usize>load<u32>(account, ACCOUNT_POSITION) << 2), 0)
  }
}

/** A small index stays in the processor's cache, which a call of few accounts profits from. */
function growIndex(): void {
  clearIndex()
  indexMask = min<u32>((indexMask << INDEX_GROWTH_BITS) | INDEX_GROWTH_MASK, ACCOUNT_INDEX_MASK)
  for (let i: u32 = 0; i < count; i++) {
    const account = ACCOUNTS + <usize>i * ACCOUNT_BYTES
    findAccount(account + ACCOUNT_ADDRESS)
    store<u32>(account, freePosition, ACCOUNT_POSITION)
    store<u32>(ACCOUNT_INDEX + (<usize>freePosition << 2), i + 1)
  }
}

/** Ignores address bits above the 160th; reads no state. */
export function accountAt(address: usize): usize {
  const account = findAccount(address)
  return account != 0 ? account : newAccount(address, freePosition)
}

/** Returns 0 for an unknown account and sets `freePosition` for a new one. */
export function findAccount(address: usize): usize {
  const a = load<u64>(address)
  const b = load<u64>(address, 8)
  const c = load<u64>(address, 16) & 0xffffffff
  let position = topBits(mix(a, 0) + mix(b, 1) + mix(c, 2)) & indexMask
  while (true) {
    const number = load<u32>(ACCOUNT_INDEX + (<usize>position << 2))
    if (number == 0) break
    const account = ACCOUNTS + <usize>(number - 1) * ACCOUNT_BYTES
    if (load<u64>(account) == a && load<u64>(account, 8) == b && load<u64>(account, 16) == c) return account
    position = (position + 1) & indexMask
  }
  freePosition = position
  return 0
}

function newAccount(address: usize, position: u32): usize {
  if (count == ACCOUNT_CAPACITY) limit(LIMIT_ACCOUNTS)
  const account = ACCOUNTS + <usize>count * ACCOUNT_BYTES
  memory.fill(account, 0, ACCOUNT_BYTES)
  copyAddress(account + ACCOUNT_ADDRESS, address)
  store<u32>(account, position, ACCOUNT_POSITION)
  openAccount(account)
  count++
  store<u32>(ACCOUNT_INDEX + (<usize>position << 2), count)
  if (count > indexMask >> 1 && indexMask != ACCOUNT_INDEX_MASK) growIndex()
  return account
}

// @ts-ignore: decorator
@inline
function flags(account: usize): u32 {
  return load<u32>(account, ACCOUNT_FLAGS)
}

// @ts-ignore: decorator
@inline
export function ensureLoaded(account: usize): void {
  if (!(flags(account) & ACCOUNT_LOADED)) loadAccount(account)
}

export function raiseFlags(account: usize, wanted: u32): void {
  if ((flags(account) & wanted) == wanted) return
  rememberAccountFlags(account)
  store<u32>(account, flags(account) | wanted, ACCOUNT_FLAGS)
}

/** EIP-2929: returns true if the account was cold. */
// @ts-ignore: decorator
@inline
export function warmAccount(account: usize): bool {
  if (flags(account) & ACCOUNT_WARM) return false
  raiseFlags(account, ACCOUNT_WARM)
  if (unlisted == 0) unlisted = account
  else unlistedDelegate = account
  return true
}

/** A step that cannot pay accesses nothing, so accounts are listed once everything is paid. */
let unlisted: usize = 0
let unlistedDelegate: usize = 0

// @ts-ignore: decorator
@inline
export function beginAccesses(): void {
  unlisted = 0
  unlistedDelegate = 0
}

// @ts-ignore: decorator
@inline
export function listAccesses(): void {
  if (unlisted == 0) return
  list(unlisted)
  if (unlistedDelegate != 0) list(unlistedDelegate)
}

function list(account: usize): void {
  store<u32>(account, flags(account) | ACCOUNT_LISTED, ACCOUNT_FLAGS)
}

/** Failing calls could fill the table with accounts that they cannot pay for. `account` was just warmed. */
export function forgetUnpaid(account: usize): void {
  const newest = ACCOUNTS + <usize>(count - 1) * ACCOUNT_BYTES
  if (count <= <u32>MAX_UNPAID_ACCOUNTS || account != newest || flags(account) & ACCOUNT_LOADED) return
  store<u32>(ACCOUNT_INDEX + (<usize>load<u32>(account, ACCOUNT_POSITION) << 2), 0)
  count--
}

export function exists(account: usize): bool {
  ensureLoaded(account)
  return (flags(account) & ACCOUNT_EXISTS) != 0
}

export function hasNoCode(account: usize): bool {
  return (
    load<u64>(account, ACCOUNT_CODE_HASH) == EMPTY_HASH_0 &&
    load<u64>(account, ACCOUNT_CODE_HASH + 8) == EMPTY_HASH_1 &&
    load<u64>(account, ACCOUNT_CODE_HASH + 16) == EMPTY_HASH_2 &&
    load<u64>(account, ACCOUNT_CODE_HASH + 24) == EMPTY_HASH_3
  )
}

/** EIP-161; an absent account is empty too. */
export function isEmpty(account: usize): bool {
  ensureLoaded(account)
  return load<u64>(account, ACCOUNT_NONCE) == 0 && isZero(account + ACCOUNT_BALANCE) && hasNoCode(account)
}

export function touch(account: usize): void {
  raiseFlags(account, ACCOUNT_TOUCHED)
}

function change(account: usize): void {
  ensureLoaded(account)
  raiseFlags(account, ACCOUNT_EXISTS | ACCOUNT_TOUCHED)
  store<u32>(account, flags(account) | ACCOUNT_CHANGED, ACCOUNT_FLAGS)
}

export function createIfAbsent(account: usize): void {
  if (!exists(account)) change(account)
}

export function addBalance(account: usize, value: usize): void {
  change(account)
  rememberBalance(account)
  addTo(account + ACCOUNT_BALANCE, value)
}

export function subtractBalance(account: usize, value: usize): void {
  change(account)
  rememberBalance(account)
  subtract(account + ACCOUNT_BALANCE, account + ACCOUNT_BALANCE, value)
}

export function clearBalance(account: usize): void {
  change(account)
  rememberBalance(account)
  setLimbs(account + ACCOUNT_BALANCE, 0, 0, 0, 0)
}

export function setNonce(account: usize, nonce: u64): void {
  change(account)
  rememberNonce(account)
  store<u64>(account, nonce, ACCOUNT_NONCE)
}

export function setCodeHash(account: usize, hash: usize, code: usize): void {
  change(account)
  rememberCodeHash(account)
  if (!equalWords(account + ACCOUNT_CODE_HASH, hash)) copyWord(account + ACCOUNT_CODE_HASH, hash)
  store<u32>(account, code, ACCOUNT_CODE)
}
