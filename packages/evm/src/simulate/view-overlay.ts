import {
  type Account,
  type AccountChange,
  type Bytes32,
  bytesToHex,
  decodeStateDiff,
  EMPTY_CODE_HASH_BYTES,
  EMPTY_TRIE_ROOT_BYTES,
  encodeStateDiff,
  equalBytes,
  type StateChanges,
  type StateDiff,
} from '@keelson/primitives'
import type { StateView } from '../ports.ts'

export interface ViewOverlay extends StateView {
  apply(diff: StateDiff | StateChanges): void
  diff(): StateDiff
}

interface Changed {
  readonly address: Uint8Array
  exists: boolean
  nonce: bigint
  balanceWei: bigint
  codeHash: Bytes32
  reset: boolean
  slots: Map<string, readonly [Bytes32, Bytes32]>
}

const ZERO_WORD: Bytes32 = new Uint8Array(32)
const SOME_STORAGE_ROOT: Bytes32 = new Uint8Array(32).fill(0xff)

export function createViewOverlay(base: StateView): ViewOverlay {
  const changed = new Map<string, Changed>()
  const codes = new Map<string, readonly [Bytes32, Uint8Array]>()

  const applyAccount = (change: AccountChange): void => {
    const key = bytesToHex(change.address)
    const before = changed.get(key)
    const gone = change.deleted || change.storageReset
    const slots = gone || before === undefined ? new Map<string, readonly [Bytes32, Bytes32]>() : before.slots
    for (const [slot, value] of change.slots) slots.set(bytesToHex(slot), [slot, value])
    changed.set(key, {
      address: change.address.slice(),
      exists: !change.deleted,
      nonce: change.nonce,
      balanceWei: change.balanceWei,
      codeHash: change.deleted ? EMPTY_CODE_HASH_BYTES : change.codeHash,
      reset: gone || before?.reset === true,
      slots,
    })
  }
  const storageRoot = (entry: Changed): Bytes32 => {
    const below = entry.reset ? EMPTY_TRIE_ROOT_BYTES : (base.account(entry.address)?.storageRoot ?? EMPTY_TRIE_ROOT_BYTES)
    if (!equalBytes(below, EMPTY_TRIE_ROOT_BYTES)) return below
    const some = [...entry.slots.values()].some(([, value]) => !equalBytes(value, ZERO_WORD))
    return some ? SOME_STORAGE_ROOT : EMPTY_TRIE_ROOT_BYTES
  }

  return {
    account(address): Account | null {
      const entry = changed.get(bytesToHex(address))
      if (entry === undefined) return base.account(address)
      if (!entry.exists) return null
      const { nonce, balanceWei, codeHash } = entry
      return { nonce, balanceWei, codeHash, storageRoot: storageRoot(entry) }
    },
    storage(address, slot) {
      const entry = changed.get(bytesToHex(address))
      if (entry === undefined) return base.storage(address, slot)
      const value = entry.slots.get(bytesToHex(slot))?.[1]
      return value ?? (entry.reset ? ZERO_WORD : base.storage(address, slot))
    },
    code: (codeHash) => codes.get(bytesToHex(codeHash))?.[1] ?? base.code(codeHash),
    apply(diff) {
      const changes = diff instanceof Uint8Array ? decodeStateDiff(diff) : diff
      for (const [codeHash, code] of changes.codes) codes.set(bytesToHex(codeHash), [codeHash, code])
      for (const change of changes.accounts) applyAccount(change)
    },
    diff() {
      const accounts: AccountChange[] = []
      for (const { address, exists, nonce, balanceWei, codeHash, reset, slots } of changed.values()) {
        const below = base.account(address)
        if (!exists && below === null) continue
        const storageReset = exists && reset && below !== null && !equalBytes(below.storageRoot, EMPTY_TRIE_ROOT_BYTES)
        accounts.push({
          address,
          deleted: !exists,
          storageReset,
          nonce,
          balanceWei,
          codeHash: exists ? codeHash : ZERO_WORD,
          slots: exists ? [...slots.values()] : [],
        })
      }
      return encodeStateDiff({ accounts, codes: [...codes.values()] })
    },
  }
}
