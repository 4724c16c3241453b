/** Yellow paper, section 4.1 */
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from './block/header.ts'
import { type Address, type Bytes32, hexToBytes } from './hex.ts'

export interface Account {
  readonly nonce: bigint
  readonly balanceWei: bigint
  readonly storageRoot: Bytes32
  readonly codeHash: Bytes32
}

/** Its storage has no zero-valued slots. */
export interface GenesisAccount {
  readonly address: Address
  readonly nonce: bigint
  readonly balanceWei: bigint
  readonly code: Uint8Array
  readonly storage: readonly (readonly [slot: Bytes32, value: Bytes32])[]
}

export const EMPTY_CODE_HASH_BYTES: Bytes32 = hexToBytes(EMPTY_CODE_HASH)
export const EMPTY_TRIE_ROOT_BYTES: Bytes32 = hexToBytes(EMPTY_TRIE_ROOT)
