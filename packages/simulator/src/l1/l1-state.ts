/** Accounts, storage and output roots after an L1 block. Blocks share what they did not change. */
import type { StateView } from '@keelson/evm'
import {
  type Address,
  type Bytes32,
  bytesToHex,
  decodeStateDiff,
  EMPTY_BYTES,
  EMPTY_CODE_HASH_BYTES,
  EMPTY_TRIE_ROOT_BYTES,
  type GenesisAccount,
  type Hash,
  keccak256,
  type StateDiff,
  toAddress,
} from '@keelson/primitives'

export interface Proposal {
  readonly outputRoot: Hash
  readonly l2BlockNumber: number
}

export interface L1Account {
  readonly nonce: bigint
  readonly balanceWei: bigint
  readonly codeHash: Bytes32
  readonly storage: ReadonlyMap<string, Bytes32>
}

export interface L1State {
  readonly accounts: ReadonlyMap<Address, L1Account>
  readonly codes: ReadonlyMap<string, Uint8Array>
  /** Those that the oracle accepted. */
  readonly proposals: readonly Proposal[]
  /** Base fees and blob fees so far. */
  readonly burntWei: bigint
  /** Wei that deposits so far mint on L2. */
  readonly depositedWei: bigint
}

const ZERO_WORD: Bytes32 = new Uint8Array(32)
const NO_STORAGE: ReadonlyMap<string, Bytes32> = new Map()
const NO_ACCOUNT: L1Account = { nonce: 0n, balanceWei: 0n, codeHash: EMPTY_CODE_HASH_BYTES, storage: NO_STORAGE }
/** The engine asks only whether there is storage. */
const SOME_STORAGE_ROOT: Bytes32 = new Uint8Array(32).fill(0xff)

export function openL1State(alloc: readonly GenesisAccount[]): L1State {
  const codes = new Map<string, Uint8Array>()
  const accounts = new Map<Address, L1Account>()
  for (const { address, nonce, balanceWei, code, storage } of alloc) {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH_BYTES : keccak256(code)
    codes.set(bytesToHex(codeHash), code)
    accounts.set(address, { nonce, balanceWei, codeHash, storage: new Map(storage.map(([slot, value]) => [bytesToHex(slot), value])) })
  }
  return { accounts, codes, proposals: [], burntWei: 0n, depositedWei: 0n }
}

export function accountOf(state: L1State, address: Address): L1Account {
  return state.accounts.get(address) ?? NO_ACCOUNT
}

export function viewOf({ accounts, codes }: L1State): StateView {
  const find = (address: Uint8Array) => accounts.get(toAddress(address))
  return {
    account(address) {
      const account = find(address)
      if (account === undefined) return null
      const { nonce, balanceWei, codeHash, storage } = account
      return { nonce, balanceWei, codeHash, storageRoot: storage.size === 0 ? EMPTY_TRIE_ROOT_BYTES : SOME_STORAGE_ROOT }
    },
    storage: (address, slot) => find(address)?.storage.get(bytesToHex(slot)) ?? ZERO_WORD,
    code: (codeHash) => codes.get(bytesToHex(codeHash)) ?? EMPTY_BYTES,
  }
}

export function applyToL1(state: L1State, diff: StateDiff): L1State {
  const changes = decodeStateDiff(diff)
  if (changes.accounts.length === 0) return state
  const accounts = new Map(state.accounts)
  for (const { address: bytes, deleted, storageReset, nonce, balanceWei, codeHash, slots } of changes.accounts) {
    const address = toAddress(bytes)
    if (deleted) {
      accounts.delete(address)
      continue
    }
    const before = storageReset ? NO_STORAGE : accountOf(state, address).storage
    // The diff's bytes are a view of the engine's memory.
    accounts.set(address, { nonce, balanceWei, codeHash: codeHash.slice(), storage: withSlots(before, slots) })
  }
  if (changes.codes.length === 0) return { ...state, accounts }
  const added = changes.codes.map(([hash, code]) => [bytesToHex(hash), code.slice()] as const)
  return { ...state, accounts, codes: new Map([...state.codes, ...added]) }
}

function withSlots(before: ReadonlyMap<string, Bytes32>, slots: readonly (readonly [Bytes32, Bytes32])[]): ReadonlyMap<string, Bytes32> {
  if (slots.length === 0) return before
  const storage = new Map(before)
  for (const [slot, value] of slots) {
    if (value.some((byte) => byte !== 0)) storage.set(bytesToHex(slot), value.slice())
    else storage.delete(bytesToHex(slot))
  }
  return storage
}
