/** Genesis: the state an alloc describes, worked out without a store. */
import {
  type AccountChange,
  type Address,
  bytesToHex,
  EMPTY_CODE_HASH_BYTES,
  encodeStateDiff,
  type Hash,
  hexToBytes,
  keccak256,
  padLeft,
} from '@keelson/primitives'
import { computeState, EMPTY_TRIE_STATE } from './compute-state.ts'
import { createHasher } from './hasher.ts'
import { trimSlotValue } from './slot-value.ts'
import type { GenesisAccount, GenesisState } from './state-store.ts'

/**
 * Storage roots and state root of an alloc, in one pass over its accounts. An account that appears twice
 * counts as it stands last. Every listed account is part of the state, an empty one too.
 */
export function computeGenesisState(alloc: Iterable<GenesisAccount>): GenesisState {
  const accounts = new Map<Address, AccountChange>()
  const codes = new Map<string, readonly [Uint8Array, Uint8Array]>()
  for (const account of alloc) {
    const code = account.code ?? new Uint8Array(0)
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH_BYTES : keccak256(code)
    if (code.length > 0) codes.set(bytesToHex(codeHash), [codeHash, code])
    accounts.set(account.address, {
      address: hexToBytes(account.address),
      deleted: false,
      storageReset: false,
      nonce: account.nonce ?? 0n,
      balanceWei: account.balanceWei ?? 0n,
      codeHash,
      slots: genesisSlots(account),
    })
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

function genesisSlots(account: GenesisAccount): (readonly [Uint8Array, Uint8Array])[] {
  const slots: (readonly [Uint8Array, Uint8Array])[] = []
  for (const [slot, value] of account.storage ?? []) {
    if (trimSlotValue(value).length > 0) slots.push([padLeft(slot, 32), padLeft(value, 32)])
  }
  return slots
}
