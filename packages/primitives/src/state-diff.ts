/**
 * The net effect of a block on the state, as sorted packed bytes that move between threads and to
 * disk without a copy. `evm` writes it, `state` reads it.
 *
 *   u32 accounts | u32 codes | account* | code*
 *   account: address 20 | flags 1 | nonce u64 | balance u256 | codeHash 32 | u32 slots | (slot 32, value 32)*
 *   code:    codeHash 32 | u32 length | bytes
 */
import { EMPTY_CODE_HASH_BYTES } from './account.ts'
import { bigintToBytes, bytesToBigint, compareBytes } from './bytes.ts'
import { CodecError } from './errors.ts'
import type { Brand, Bytes20, Bytes32 } from './hex.ts'

export type StateDiff = Brand<Uint8Array, 'StateDiff'>

export interface AccountChange {
  readonly address: Bytes20
  /** The account no longer exists; the fields below are zero and there are no slots. */
  readonly deleted: boolean
  /** Earlier storage is removed before `slots` apply (account destroyed, and possibly created again). */
  readonly storageReset: boolean
  readonly nonce: bigint
  readonly balanceWei: bigint
  readonly codeHash: Bytes32
  /** Changed slots; zero removes the slot. */
  readonly slots: readonly (readonly [slot: Bytes32, value: Bytes32])[]
}

export interface StateChanges {
  readonly accounts: readonly AccountChange[]
  readonly codes: readonly (readonly [codeHash: Bytes32, code: Uint8Array])[]
}

const ACCOUNT_HEAD = 20 + 1 + 8 + 32 + 32 + 4
const DELETED = 1
const STORAGE_RESET = 2

/** Sorts, so that equal changes give equal bytes. */
export function encodeStateDiff(changes: StateChanges): StateDiff {
  let size = 8
  for (const a of changes.accounts) size += ACCOUNT_HEAD + 64 * a.slots.length
  for (const [, code] of changes.codes) size += 36 + code.length
  const out = new Uint8Array(size)
  const view = new DataView(out.buffer)
  view.setUint32(0, changes.accounts.length)
  view.setUint32(4, changes.codes.length)
  let at = 8
  for (const a of [...changes.accounts].sort((x, y) => compareBytes(x.address, y.address))) {
    out.set(a.address, at)
    out[at + 20] = (a.deleted ? DELETED : 0) | (a.storageReset ? STORAGE_RESET : 0)
    view.setBigUint64(at + 21, a.nonce)
    out.set(bigintToBytes(a.balanceWei, 32), at + 29)
    out.set(a.codeHash, at + 61)
    view.setUint32(at + 93, a.slots.length)
    at += ACCOUNT_HEAD
    for (const [slot, value] of [...a.slots].sort((x, y) => compareBytes(x[0], y[0]))) {
      out.set(slot, at)
      out.set(value, at + 32)
      at += 64
    }
  }
  for (const [hash, code] of [...changes.codes].sort((x, y) => compareBytes(x[0], y[0]))) {
    out.set(hash, at)
    view.setUint32(at + 32, code.length)
    out.set(code, at + 36)
    at += 36 + code.length
  }
  return out as StateDiff
}

/** Most accounts have no code, and most have no changed slot: these share one value, as a block's changes stay in memory for long. */
const NO_SLOTS: (readonly [Bytes32, Bytes32])[] = []

function isEmptyCodeHash(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < 32; i++) if (bytes[at + i] !== EMPTY_CODE_HASH_BYTES[i]) return false
  return true
}

/** Returns views into `diff`. Throws CodecError `codec/state-diff`. */
export function decodeStateDiff(diff: StateDiff): StateChanges {
  const view = new DataView(diff.buffer, diff.byteOffset, diff.length)
  const need = (end: number) => {
    if (end > diff.length) throw new CodecError('codec/state-diff', `state diff of ${diff.length} bytes ends before byte ${end}`)
  }
  need(8)
  const accountCount = view.getUint32(0)
  const codeCount = view.getUint32(4)
  let at = 8
  const accounts: AccountChange[] = []
  for (let i = 0; i < accountCount; i++) {
    need(at + ACCOUNT_HEAD)
    const flags = diff[at + 20] as number
    const slotCount = view.getUint32(at + 93)
    const head = at
    at += ACCOUNT_HEAD
    need(at + 64 * slotCount)
    const slots: (readonly [Bytes32, Bytes32])[] = slotCount === 0 ? NO_SLOTS : []
    for (let s = 0; s < slotCount; s++, at += 64) slots.push([diff.subarray(at, at + 32), diff.subarray(at + 32, at + 64)])
    accounts.push({
      address: diff.subarray(head, head + 20),
      deleted: (flags & DELETED) !== 0,
      storageReset: (flags & STORAGE_RESET) !== 0,
      nonce: view.getBigUint64(head + 21),
      balanceWei: bytesToBigint(diff.subarray(head + 29, head + 61)),
      codeHash: isEmptyCodeHash(diff, head + 61) ? EMPTY_CODE_HASH_BYTES : diff.subarray(head + 61, head + 93),
      slots,
    })
  }
  const codes: (readonly [Bytes32, Uint8Array])[] = []
  for (let i = 0; i < codeCount; i++) {
    need(at + 36)
    const length = view.getUint32(at + 32)
    need(at + 36 + length)
    codes.push([diff.subarray(at, at + 32), diff.subarray(at + 36, at + 36 + length)])
    at += 36 + length
  }
  return { accounts, codes }
}
