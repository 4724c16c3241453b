/** The disk marker comes last, so an interrupted genesis is written again. */
import { decodeStateDiff, EMPTY_TRIE_ROOT_BYTES, type Hash } from '@keelson/primitives'
import { encodeFlatAccount } from '../account-codec.ts'
import { BUCKETS, bucketKey, META_DISK, metaKey } from '../buckets.ts'
import { keyToBytes } from '../byte-key.ts'
import type { Hasher } from '../hasher.ts'
import type { KeyValueOp, KeyValueStore } from '../ports.ts'
import { trimSlotValue } from '../slot-value.ts'
import type { GenesisState } from '../state-store.ts'
import { decodeNodeChanges } from '../trie/node-changes.ts'
import { encodeDiskMarker } from './disk-marker.ts'

const OPS_PER_BATCH = 10_000
const OWN_BUCKETS = { from: Uint8Array.of(0x10), to: Uint8Array.of(0x40) }

export async function writeGenesis(
  store: KeyValueStore,
  genesis: GenesisState,
  block: { readonly hash: Hash; readonly number: number },
  hash: Hasher,
): Promise<void> {
  let batch: KeyValueOp[] = []
  const push = async (op: KeyValueOp) => {
    batch.push(op)
    if (batch.length < OPS_PER_BATCH) return
    await store.batch(batch)
    batch = []
  }
  for await (const [key] of store.range(OWN_BUCKETS.from, OWN_BUCKETS.to)) await push({ del: key })
  for (const op of genesisOps(genesis, hash)) await push(op)
  batch.push({ put: metaKey(META_DISK), value: encodeDiskMarker({ ...block, stateRoot: genesis.stateRoot }) })
  await store.batch(batch, { sync: true })
}

function* genesisOps(genesis: GenesisState, hash: Hasher): Iterable<KeyValueOp> {
  const { accounts, codes } = decodeStateDiff(genesis.diff)
  for (const { address, nonce, balanceWei, codeHash, slots } of accounts) {
    const addressHash = hash(address)
    const storageRoot = genesis.computed.storageRoot(address) ?? EMPTY_TRIE_ROOT_BYTES
    yield { put: bucketKey(BUCKETS.account, addressHash), value: encodeFlatAccount({ nonce, balanceWei, codeHash, storageRoot }) }
    yield { put: bucketKey(BUCKETS.preimage, addressHash), value: address }
    for (const [slot, value] of slots) {
      const slotHash = hash(slot)
      yield { put: bucketKey(BUCKETS.slot, addressHash, slotHash), value: trimSlotValue(value) }
      yield { put: bucketKey(BUCKETS.preimage, slotHash), value: slot }
    }
  }
  for (const [codeHash, code] of codes) yield { put: bucketKey(BUCKETS.code, codeHash), value: code }
  for (const [key, rlp] of decodeNodeChanges(genesis.computed.nodes)) if (rlp !== null) yield { put: keyToBytes(key), value: rlp }
}
