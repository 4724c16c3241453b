import {
  type Account,
  type AccountChange,
  type Bytes20,
  type Bytes32,
  EMPTY_BYTES,
  EMPTY_CODE_HASH_BYTES,
  EMPTY_TRIE_ROOT_BYTES,
  encodeStateDiff,
  equalBytes,
  keccak256,
  type StateDiff,
} from '@keelson/primitives'
import type { StateView } from '../ports.ts'
import { bytesKey, keyBytes } from './byte-key.ts'
import type { Journal } from './journal.ts'

export const ZERO_WORD: Bytes32 = new Uint8Array(32)

export interface AccountEntry {
  readonly key: string
  readonly address: Bytes20
  readonly base: Account | null
  exists: boolean
  nonce: bigint
  balanceWei: bigint
  codeHash: Bytes32
  cleared: boolean
  slots: Map<string, Bytes32>
  readonly baseSlots: Map<string, Bytes32>
  originals: Map<string, Bytes32> | null
}

/** Parity's touch of RIPEMD (EIP-161 note). */
const EMPTY_CODE_KEY = bytesKey(EMPTY_CODE_HASH_BYTES)
const RIPEMD_KEY = bytesKey(Uint8Array.from({ length: 20 }, (_, i) => (i === 19 ? 3 : 0)))

export class JournaledState {
  readonly #view: StateView
  readonly #journal: Journal
  readonly #accounts = new Map<string, AccountEntry>()
  readonly #codes = new Map<string, Uint8Array>()
  readonly #touched = new Set<string>()
  #written: AccountEntry[] = []

  constructor(view: StateView, journal: Journal) {
    this.#view = view
    this.#journal = journal
  }

  entry(address: Bytes20): AccountEntry {
    return this.entryOf(bytesKey(address))
  }

  entryOf(key: string): AccountEntry {
    const known = this.#accounts.get(key)
    if (known !== undefined) return known
    const address = keyBytes(key)
    const entry = newEntry(key, address, this.#view.account(address))
    this.#accounts.set(key, entry)
    return entry
  }

  /** Makes `address` absent until the returned function runs. */
  mask(address: Bytes20): () => void {
    const key = bytesKey(address)
    const known = this.#accounts.get(key)
    this.#accounts.set(key, newEntry(key, address.slice(), null))
    return () => {
      if (known === undefined) this.#accounts.delete(key)
      else this.#accounts.set(key, known)
    }
  }

  /** Not this block's changes: EIP-7610 does not need them. */
  storageRoot(entry: AccountEntry): Bytes32 {
    return entry.cleared || entry.base === null ? EMPTY_TRIE_ROOT_BYTES : entry.base.storageRoot
  }

  write(entry: AccountEntry, nonce: bigint, balanceWei: bigint, codeHash: Bytes32): void {
    this.touch(entry)
    if (entry.exists && entry.nonce === nonce && entry.balanceWei === balanceWei && entry.codeHash === codeHash) return
    this.#rememberAccount(entry)
    entry.exists = true
    entry.nonce = nonce
    entry.balanceWei = balanceWei
    entry.codeHash = codeHash
  }

  touch(entry: AccountEntry): void {
    const { key } = entry
    if (this.#touched.has(key)) return
    this.#touched.add(key)
    if (key !== RIPEMD_KEY) this.#journal.record(() => this.#touched.delete(key))
  }

  #rememberAccount(entry: AccountEntry): void {
    const { exists, nonce, balanceWei, codeHash } = entry
    this.#journal.record(() => {
      entry.exists = exists
      entry.nonce = nonce
      entry.balanceWei = balanceWei
      entry.codeHash = codeHash
    })
  }

  code(entry: AccountEntry): Uint8Array {
    return this.codeOfHash(entry.codeHash)
  }

  codeOfHash(codeHash: Bytes32): Uint8Array {
    return codeHash === EMPTY_CODE_HASH_BYTES ? EMPTY_BYTES : this.codeOfKey(bytesKey(codeHash))
  }

  /** `key` is that of the code's hash. */
  codeOfKey(key: string): Uint8Array {
    if (key === EMPTY_CODE_KEY) return EMPTY_BYTES
    let code = this.#codes.get(key)
    if (code === undefined) {
      code = this.#view.code(keyBytes(key))
      this.#codes.set(key, code)
    }
    return code
  }

  get recordsCodes(): boolean {
    return this.#view.usedCode !== undefined
  }

  /** Reports the entry's code to a view that records, unless the block wrote it. */
  recordCode({ base, codeHash }: AccountEntry): void {
    if (base === null || !this.recordsCodes || !equalBytes(codeHash, base.codeHash)) return
    if (!equalBytes(codeHash, EMPTY_CODE_HASH_BYTES)) this.#view.usedCode?.(codeHash)
  }

  keepCode(codeHash: Bytes32, code: Uint8Array): void {
    this.#codes.set(bytesKey(codeHash), code)
  }

  setCode(entry: AccountEntry, code: Uint8Array): void {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH_BYTES : keccak256(code)
    if (code.length > 0) this.#codes.set(bytesKey(codeHash), code)
    this.write(entry, entry.nonce, entry.balanceWei, codeHash)
  }

  slot(entry: AccountEntry, slot: Bytes32): Bytes32 {
    return this.slotOf(entry, bytesKey(slot))
  }

  slotOf(entry: AccountEntry, key: string): Bytes32 {
    const known = entry.slots.get(key)
    if (known !== undefined) return known
    const value = entry.cleared ? ZERO_WORD : this.#baseSlot(entry, key)
    entry.slots.set(key, value)
    return value
  }

  #baseSlot(entry: AccountEntry, key: string): Bytes32 {
    if (entry.base === null || equalBytes(entry.base.storageRoot, EMPTY_TRIE_ROOT_BYTES)) return ZERO_WORD
    let value = entry.baseSlots.get(key)
    if (value === undefined) {
      value = this.#view.storage(entry.address, keyBytes(key))
      entry.baseSlots.set(key, value)
    }
    return value
  }

  /** EIP-2200 */
  originalSlot(entry: AccountEntry, slot: Bytes32): Bytes32 {
    return this.originalSlotOf(entry, bytesKey(slot))
  }

  originalSlotOf(entry: AccountEntry, key: string): Bytes32 {
    return entry.originals?.get(key) ?? this.slotOf(entry, key)
  }

  setSlot(entry: AccountEntry, slot: Bytes32, value: Bytes32): void {
    this.setSlotOf(entry, bytesKey(slot), value)
  }

  setSlotOf(entry: AccountEntry, key: string, value: Bytes32): void {
    const before = this.slotOf(entry, key)
    if (entry.originals === null) {
      entry.originals = new Map()
      this.#written.push(entry)
    }
    if (!entry.originals.has(key)) entry.originals.set(key, before)
    const { slots } = entry
    slots.set(key, value)
    this.#journal.record(() => slots.set(key, before))
  }

  clearStorage(entry: AccountEntry): void {
    const { cleared, slots } = entry
    if (slots.size === 0 && (cleared || entry.base === null)) return
    this.#journal.record(() => {
      entry.cleared = cleared
      entry.slots = slots
    })
    entry.cleared = true
    entry.slots = new Map()
  }

  destroy(entry: AccountEntry): void {
    this.clearStorage(entry)
    this.#rememberAccount(entry)
    entry.exists = false
    entry.nonce = 0n
    entry.balanceWei = 0n
    entry.codeHash = EMPTY_CODE_HASH_BYTES
  }

  /** `clearsEmpty`: EIP-161 */
  finishTransaction(clearsEmpty: boolean): void {
    if (clearsEmpty) {
      for (const key of this.#touched) {
        const entry = this.#accounts.get(key) as AccountEntry
        if (entry.exists && isEmpty(entry)) this.destroy(entry)
      }
    }
    this.#touched.clear()
    for (const entry of this.#written) entry.originals = null
    this.#written = []
  }

  diff(): StateDiff {
    const accounts: AccountChange[] = []
    const codes = new Map<string, readonly [Bytes32, Uint8Array]>()
    for (const entry of this.#accounts.values()) {
      const change = accountChange(entry)
      if (change === null) continue
      accounts.push(change)
      if (change.deleted || equalBytes(entry.codeHash, entry.base?.codeHash ?? EMPTY_CODE_HASH_BYTES)) continue
      const key = bytesKey(entry.codeHash)
      const code = this.#codes.get(key)
      if (code !== undefined) codes.set(key, [entry.codeHash, code])
    }
    return encodeStateDiff({ accounts, codes: [...codes.values()] })
  }
}

function newEntry(key: string, address: Bytes20, base: Account | null): AccountEntry {
  return {
    key,
    address,
    base,
    exists: base !== null,
    nonce: base?.nonce ?? 0n,
    balanceWei: base?.balanceWei ?? 0n,
    codeHash: base?.codeHash ?? EMPTY_CODE_HASH_BYTES,
    cleared: false,
    slots: new Map(),
    baseSlots: new Map(),
    originals: null,
  }
}

export function isEmpty(entry: AccountEntry): boolean {
  return entry.nonce === 0n && entry.balanceWei === 0n && equalBytes(entry.codeHash, EMPTY_CODE_HASH_BYTES)
}

function accountChange(entry: AccountEntry): AccountChange | null {
  const { address, base, exists, nonce, balanceWei, codeHash } = entry
  if (!exists) {
    if (base === null) return null
    return { address, deleted: true, storageReset: false, nonce: 0n, balanceWei: 0n, codeHash: new Uint8Array(32), slots: [] }
  }
  const storageReset = entry.cleared && base !== null && !equalBytes(base.storageRoot, EMPTY_TRIE_ROOT_BYTES)
  const slots: (readonly [Bytes32, Bytes32])[] = []
  for (const [key, value] of entry.slots) {
    const before = storageReset ? ZERO_WORD : (entry.baseSlots.get(key) ?? ZERO_WORD)
    if (value !== before && !equalBytes(value, before)) slots.push([keyBytes(key), value])
  }
  const same = base !== null && base.nonce === nonce && base.balanceWei === balanceWei && equalBytes(base.codeHash, codeHash)
  if (same && !storageReset && slots.length === 0) return null
  return { address, deleted: false, storageReset, nonce, balanceWei, codeHash, slots }
}
