/** Snapshot files contain these tables, but not trie and history. */
import { type Bytes32, EMPTY_TRIE_ROOT_BYTES, hexToBytes, keccak256, L2_TO_L1_MESSAGE_PASSER } from '@keelson/primitives'
import { decodeFlatAccount } from './account-codec.ts'
import { BUCKETS, bucketKey, META_DISK, metaKey } from './buckets.ts'
import { encodeDiskMarker } from './disk/disk-marker.ts'
import type { KeyValueOp, KeyValueReader } from './ports.ts'
import type { StateBlock } from './state-store.ts'

export const SNAPSHOT_TABLES: readonly number[] = [BUCKETS.account, BUCKETS.slot, BUCKETS.code, BUCKETS.preimage]

export function diskMarkerOp(block: StateBlock): KeyValueOp {
  return { put: metaKey(META_DISK), value: encodeDiskMarker(block) }
}

export function messagePasserStorageRoot(reader: KeyValueReader): Bytes32 {
  const account = reader.getSync(bucketKey(BUCKETS.account, keccak256(hexToBytes(L2_TO_L1_MESSAGE_PASSER))))
  return account === null ? EMPTY_TRIE_ROOT_BYTES : decodeFlatAccount(account).storageRoot
}
