import {
  type Account,
  type Bytes20,
  type Bytes32,
  decodeStateDiff,
  EMPTY_BYTES,
  EMPTY_CODE_HASH_BYTES,
  EMPTY_TRIE_ROOT_BYTES,
  keccak256,
  type StateDiff,
} from '@keelson/primitives'
import { bytesKey } from './journal/byte-key.ts'
import type { StateView } from './ports.ts'

export interface MemoryAccount {
  readonly address: Bytes20
  readonly balanceWei?: bigint
  readonly nonce?: bigint
  readonly code?: Uint8Array
  readonly storage?: readonly (readonly [slot: Bytes32, value: Bytes32])[]
}

export interface MemoryView extends StateView {
  apply(diff: StateDiff): void
}

interface Held {
  nonce: bigint
  balanceWei: bigint
  codeHash: Bytes32
  readonly slots: Map<string, Bytes32>
}

const ZERO_WORD: Bytes32 = new Uint8Array(32)
const SOME_STORAGE_ROOT: Bytes32 = new Uint8Array(32).fill(0xff)

export function createMemoryView(accounts: readonly MemoryAccount[] = []): MemoryView {
  const held = new Map<string, Held>()
  const codes = new Map<string, Uint8Array>()
  for (const { address, balanceWei = 0n, nonce = 0n, code = EMPTY_BYTES, storage = [] } of accounts) {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH_BYTES : keccak256(code)
    codes.set(bytesKey(codeHash), code)
    const slots = new Map(storage.map(([slot, value]) => [bytesKey(slot), value]))
    held.set(bytesKey(address), { nonce, balanceWei, codeHash, slots })
  }
  return {
    account(address): Account | null {
      const found = held.get(bytesKey(address))
      if (found === undefined) return null
      const { nonce, balanceWei, codeHash, slots } = found
      return { nonce, balanceWei, codeHash, storageRoot: slots.size === 0 ? EMPTY_TRIE_ROOT_BYTES : SOME_STORAGE_ROOT }
    },
    storage: (address, slot) => held.get(bytesKey(address))?.slots.get(bytesKey(slot)) ?? ZERO_WORD,
    code: (codeHash) => codes.get(bytesKey(codeHash)) ?? EMPTY_BYTES,
    apply(diff) {
      const changes = decodeStateDiff(diff)
      for (const [codeHash, code] of changes.codes) codes.set(bytesKey(codeHash), code)
      for (const { address, deleted, storageReset, nonce, balanceWei, codeHash, slots } of changes.accounts) {
        const key = bytesKey(address)
        const before = held.get(key)
        if (deleted) {
          held.delete(key)
          continue
        }
        const kept = before === undefined || storageReset ? new Map<string, Bytes32>() : before.slots
        for (const [slot, value] of slots) {
          if (value.some((byte) => byte !== 0)) kept.set(bytesKey(slot), value)
          else kept.delete(bytesKey(slot))
        }
        held.set(key, { nonce, balanceWei, codeHash, slots: kept })
      }
    },
  }
}
