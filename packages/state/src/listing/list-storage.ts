import type { Bytes20, Bytes32 } from '@keelson/primitives'
import { decodeTrieAccount } from '../account-codec.ts'
import type { Hasher } from '../hasher.ts'
import { decodeTrieSlot } from '../slot-value.ts'
import type { StateReader } from '../state-reader.ts'
import type { DumpedSlot } from '../state-store.ts'
import { trieEntries } from '../trie/entries.ts'
import { findTrieValue } from '../trie/read.ts'

/** Reads the trie, which history keeps for past blocks too, so that no more than the entries used are read. */
export function* listStorage(state: StateReader, address: Bytes20, start: Bytes32, hash: Hasher): Generator<DumpedSlot> {
  const addressHash = hash(address)
  const value = findTrieValue(state.accountNodes, state.stateRoot, addressHash)
  if (value === null) return
  const preimages = state.slotPreimages(address)
  for (const entry of trieEntries(state.storageNodes(addressHash), decodeTrieAccount(value).storageRoot, start)) {
    yield { slotHash: entry.key, slot: preimages(entry.key), value: decodeTrieSlot(entry.value) }
  }
}
