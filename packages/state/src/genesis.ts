import {
  type AccountChange,
  type Address,
  bytesToHex,
  EMPTY_CODE_HASH_BYTES,
  encodeStateDiff,
  type GenesisAccount,
  type Hash,
  hexToBytes,
  keccak256,
} from '@keelson/primitives'
import { computeState, EMPTY_TRIE_STATE } from './compute-state.ts'
import { createHasher } from './hasher.ts'
import { trimSlotValue } from './slot-value.ts'
import type { GenesisState } from './state-store.ts'

/** The last entry of a repeated address wins; empty accounts are included. */
export function computeGenesisState(alloc: Iterable<GenesisAccount>): GenesisState {
  const accounts = new Map<Address, AccountChange>()
  const codes = new Map<string, readonly [Uint8Array, Uint8Array]>()
  for (const account of alloc) {
    const { address, nonce, balanceWei, code, storage } = account
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH_BYTES : keccak256(code)
    if (code.length > 0) codes.set(bytesToHex(codeHash), [codeHash, code])
    const slots = storage.filter(([, value]) => trimSlotValue(value).length > 0)
    accounts.set(address, { address: hexToBytes(address), deleted: false, storageReset: false, nonce, balanceWei, codeHash, slots })
  }
  const diff = encodeStateDiff({ accounts: [...accounts.values()], codes: [...codes.values()] })
  const computed = computeState(EMPTY_TRIE_STATE, diff, createHasher())
  return {
    stateRoot: bytesToHex(computed.root) as Hash,
    storageRoot(address) {
      const root = computed.storageRoot(hexToBytes(address))
      return root === null ? null : (bytesToHex(root) as Hash)
    },
    diff,
    computed,
  }
}
