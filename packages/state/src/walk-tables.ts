import {
  type Bytes32,
  bytesToHex,
  EMPTY_CODE_HASH_BYTES,
  EMPTY_TRIE_ROOT_BYTES,
  equalBytes,
  type Hash,
  hexToBytes,
} from '@keelson/primitives'
import { decodeFlatAccount, encodeTrieAccount } from './account-codec.ts'
import { BUCKETS, bucketKey, META_DISK, metaKey, prefixRange } from './buckets.ts'
import { keyToBytes } from './byte-key.ts'
import { decodeDiskMarker } from './disk/disk-marker.ts'
import { StateError } from './errors.ts'
import type { KeyValueReader } from './ports.ts'
import { encodeTrieSlot } from './slot-value.ts'
import type { StateBlock } from './state-store.ts'
import { createTrieBuilder } from './trie/build-trie.ts'
import { findTrieValue } from './trie/read.ts'

export type TableProblem = (addressHash: Bytes32, what: string) => void

export interface TableWalk {
  node(key: Uint8Array, rlp: Uint8Array): void
  problem: TableProblem
  /** May throw to stop the walk. */
  breathe(progress: TableProgress): Promise<void>
}

export interface TableProgress {
  readonly accounts: number
  readonly slots: number
  /** Hashes are uniformly distributed, so their first bytes show the progress. */
  readonly at: Bytes32
}

const BREATHE_EVERY = 256

export function readDiskBlock(reader: KeyValueReader): StateBlock {
  const marker = reader.getSync(metaKey(META_DISK))
  if (marker === null) throw new StateError('state/not-initialised', 'critical', 'the store holds no state')
  return decodeDiskMarker(marker)
}

export async function walkTables(reader: KeyValueReader, walk: TableWalk): Promise<{ readonly root: Bytes32 } & TableProgress> {
  let [accounts, slots, since] = [0, 0, 0]
  let at: Bytes32 = new Uint8Array(32)
  const pause = async () => {
    if (++since % BREATHE_EVERY === 0) await walk.breathe({ accounts, slots, at })
  }
  const trie = createTrieBuilder((path, rlp) => walk.node(bucketKey(BUCKETS.accountNode, path), rlp))
  const { from, to } = prefixRange(Uint8Array.of(BUCKETS.account))
  for await (const [key, value] of reader.range(from, to)) {
    at = key.slice(1)
    accounts++
    const account = decodeFlatAccount(value)
    let storageRoot: Bytes32 = EMPTY_TRIE_ROOT_BYTES
    if (!equalBytes(account.storageRoot, EMPTY_TRIE_ROOT_BYTES)) {
      const owner = at
      const storage = createTrieBuilder((path, rlp) => walk.node(bucketKey(BUCKETS.storageNode, owner, path), rlp))
      const own = prefixRange(bucketKey(BUCKETS.slot, owner))
      for await (const [slotKey, slotValue] of reader.range(own.from, own.to)) {
        slots++
        const leaf = encodeTrieSlot(slotValue)
        if (leaf === null) walk.problem(owner, `slot ${bytesToHex(slotKey.subarray(33))} is stored as zero`)
        else storage.add(slotKey.slice(33), leaf)
        await pause()
      }
      storageRoot = storage.finish()
    }
    if (!equalBytes(storageRoot, account.storageRoot)) {
      walk.problem(at, `its slots have the root ${bytesToHex(storageRoot)}; expected ${bytesToHex(account.storageRoot)}`)
    }
    const hasCode = !equalBytes(account.codeHash, EMPTY_CODE_HASH_BYTES)
    if (hasCode && reader.getSync(bucketKey(BUCKETS.code, account.codeHash)) === null) {
      walk.problem(at, `its code ${bytesToHex(account.codeHash)} is missing`)
    }
    trie.add(at, encodeTrieAccount(account))
    await pause()
  }
  return { root: trie.finish(), accounts, slots, at }
}

/** Returns null if table and trie agree on the first account at or after `start`. */
export async function checkAccount(reader: KeyValueReader, start: Bytes32, stateRoot: Hash): Promise<string | null> {
  const { to } = prefixRange(Uint8Array.of(BUCKETS.account))
  for await (const [key, value] of reader.range(bucketKey(BUCKETS.account, start), to, { limit: 1 })) {
    const addressHash = key.slice(1)
    const name = `account ${bytesToHex(addressHash)}`
    const account = decodeFlatAccount(value)
    try {
      const leaf = findTrieValue(
        { node: (path) => reader.getSync(bucketKey(BUCKETS.accountNode, keyToBytes(path))) },
        hexToBytes(stateRoot),
        addressHash,
      )
      if (leaf === null || !equalBytes(leaf, encodeTrieAccount(account))) return `${name} differs between table and tree`
      const slot = bucketKey(BUCKETS.slot, addressHash, start)
      for await (const [slotKey, slotValue] of reader.range(slot, prefixRange(bucketKey(BUCKETS.slot, addressHash)).to, { limit: 1 })) {
        const source = { node: (path: string) => reader.getSync(bucketKey(BUCKETS.storageNode, addressHash, keyToBytes(path))) }
        const slotLeaf = findTrieValue(source, account.storageRoot, slotKey.slice(33))
        const expected = encodeTrieSlot(slotValue)
        if (slotLeaf === null || expected === null || !equalBytes(slotLeaf, expected)) {
          return `slot ${bytesToHex(slotKey.subarray(33))} of ${name} differs between table and tree`
        }
      }
    } catch (error) {
      if (error instanceof StateError) return `${name}: ${error.message}`
      throw error
    }
  }
  return null
}
