/**
 * Batch B: one layer into the flat and trie tables, with what it replaces into the history, the
 * layer's record gone and the disk marker moved. One batch, so a crash leaves either all or nothing.
 */
import { type Bytes20, bytesToHex, EMPTY_TRIE_ROOT_BYTES, equalBytes, hexToBytes } from '@keelson/primitives'
import { decodeFlatAccount, encodeFlatAccount } from '../account-codec.ts'
import { BUCKETS, bucketKey, META_DISK, metaKey, prefixRange } from '../buckets.ts'
import { bytesToKey } from '../byte-key.ts'
import type { Hasher } from '../hasher.ts'
import type { HistoryBounds } from '../history/history-block.ts'
import { type HistoryLimits, recordHistory } from '../history/record-history.ts'
import type { Layer } from '../layers/layer.ts'
import type { KeyValueOp, KeyValueStore } from '../ports.ts'
import { trimSlotValue } from '../slot-value.ts'
import type { StateBlock } from '../state-store.ts'
import { BatchDraft } from './batch-draft.ts'
import { encodeDiskMarker } from './disk-marker.ts'

export interface FlattenBatch {
  readonly ops: readonly KeyValueOp[]
  readonly replaced: ReadonlyMap<string, Uint8Array | null>
  /** An account lost slots that the layer does not name. */
  readonly storageGone: boolean
  readonly history: HistoryBounds | null
}

export interface FlattenInput {
  readonly store: KeyValueStore
  readonly hash: Hasher
  readonly disk: StateBlock
  readonly history: HistoryBounds | null
  readonly limits: HistoryLimits
  readonly layer: Layer
  /** Layers whose records go as well. */
  readonly dropped: readonly Layer[]
}

/** Reads what is replaced and prepares the batch; writes nothing. */
export async function prepareFlatten(input: FlattenInput): Promise<FlattenBatch> {
  const { store, hash, layer } = input
  const draft = new BatchDraft(store)
  const replaced = new Map<string, Uint8Array | null>()
  const written = new Map<string, Uint8Array | null>()
  const storageGone = await wipeStorage(input, replaced, written)
  writeFlat(layer, hash, draft, written)
  for (const [key, rlp] of layer.nodes) written.set(key, rlp)
  for (const [key, value] of written) {
    const old = replaced.get(key) ?? (replaced.has(key) ? null : draft.get(key))
    if (old === value || (old !== null && value !== null && equalBytes(old, value))) {
      written.delete(key)
      replaced.delete(key)
    } else replaced.set(key, old)
  }
  const history = recordHistory({ draft, ...input, layer, replaced, written })
  for (const [key, value] of written) draft.set(key, value)
  for (const [codeHash, code] of layer.codes) draft.set(String.fromCharCode(BUCKETS.code) + codeHash, code)
  for (const gone of [layer, ...input.dropped]) draft.set(bucketKey(BUCKETS.layer, hexToBytes(gone.hash)), null)
  const stateRoot = bytesToHex(layer.stateRoot) as StateBlock['stateRoot']
  draft.set(metaKey(META_DISK), encodeDiskMarker({ hash: layer.hash, number: layer.number, stateRoot }))
  return { ops: draft.ops(), replaced, storageGone, history }
}

/** Slots and nodes of accounts whose storage the layer resets. Held in memory: contracts that can be destroyed are small or old. */
async function wipeStorage(
  { store, hash, layer }: FlattenInput,
  replaced: Map<string, Uint8Array | null>,
  written: Map<string, Uint8Array | null>,
): Promise<boolean> {
  let gone = false
  for (const change of layer.changes) {
    if (!change.deleted && !change.storageReset) continue
    const addressHash = hash(change.address)
    const account = store.getSync(bucketKey(BUCKETS.account, addressHash))
    if (account === null || equalBytes(decodeFlatAccount(account).storageRoot, EMPTY_TRIE_ROOT_BYTES)) continue
    gone = true
    for (const bucket of [BUCKETS.slot, BUCKETS.storageNode]) {
      const { from, to } = prefixRange(bucketKey(bucket, addressHash))
      for await (const [key, value] of store.range(from, to)) {
        replaced.set(bytesToKey(key), value)
        written.set(bytesToKey(key), null)
      }
    }
  }
  return gone
}

function writeFlat(layer: Layer, hash: Hasher, draft: BatchDraft, written: Map<string, Uint8Array | null>): void {
  for (const change of layer.changes) {
    const addressHash = hash(change.address)
    const account = layer.accounts.get(bytesToKey(change.address)) ?? null
    const accountKey = bytesToKey(bucketKey(BUCKETS.account, addressHash))
    written.set(accountKey, account === null ? null : encodeFlatAccount(account))
    if (account !== null && draft.get(accountKey) === null) writePreimage(draft, addressHash, change.address)
    for (const [slot, value] of change.slots) {
      const slotHash = hash(slot)
      const slotKey = bytesToKey(bucketKey(BUCKETS.slot, addressHash, slotHash))
      const trimmed = trimSlotValue(value)
      written.set(slotKey, trimmed.length === 0 ? null : trimmed)
      if (trimmed.length > 0 && draft.get(slotKey) === null) writePreimage(draft, slotHash, slot)
    }
  }
}

function writePreimage(draft: BatchDraft, hash: Uint8Array, preimage: Bytes20 | Uint8Array): void {
  draft.set(bucketKey(BUCKETS.preimage, hash), preimage)
}
