/** Batch B: moves layers into the tables and replaced values into the history. */
import { type Bytes20, type Bytes32, bytesToHex, EMPTY_TRIE_ROOT_BYTES, equalBytes, type Hash, hexToBytes } from '@keelson/primitives'
import { encodeFlatAccount } from '../account-codec.ts'
import { BUCKETS, bucketKey, META_DISK, META_HISTORY, metaKey, prefixRange } from '../buckets.ts'
import { bytesToKey } from '../byte-key.ts'
import type { Hasher } from '../hasher.ts'
import { encodeHistoryBounds, type HistoryBounds } from '../history/history-block.ts'
import type { IndexTails } from '../history/index-tails.ts'
import { type HistoryLimits, pruneHistory } from '../history/prune-history.ts'
import { type ChangedValue, recordHistory } from '../history/record-history.ts'
import type { Layer } from '../layers/layer.ts'
import type { KeyValueStore } from '../ports.ts'
import { trimSlotValue } from '../slot-value.ts'
import type { StateBlock } from '../state-store.ts'
import { BatchDraft } from './batch-draft.ts'
import type { DiskLayer } from './disk-layer.ts'
import { encodeDiskMarker } from './disk-marker.ts'
import type { Pace } from './pace.ts'

export interface FlattenBatch {
  readonly draft: BatchDraft
  readonly replaced: ReadonlyMap<string, Uint8Array | null>
  /** True if an account lost slots that the first layer does not list. */
  readonly storageGone: boolean
  readonly history: HistoryBounds | null
}

export interface FlattenInput {
  readonly store: KeyValueStore
  readonly tables: DiskLayer
  readonly hash: Hasher
  readonly limits: HistoryLimits
  readonly tails: IndexTails
  readonly pace: Pace
  readonly layers: readonly Layer[]
}

type Changes = Map<string, ChangedValue>

export async function prepareFlatten(input: FlattenInput): Promise<FlattenBatch> {
  const { store, tables, layers, tails, pace, limits } = input
  const draft = new BatchDraft(store, tails.find)
  const replaced = new Map<string, Uint8Array | null>()
  const written = new Map<string, Uint8Array | null>()
  let storageGone = false
  let history = tables.history
  let parent: StateBlock = tables.block
  for (const layer of layers) {
    const changes: Changes = new Map()
    if (layer.wiped.size > 0 && (await wipeStorage(input, layer, changes))) storageGone = true
    await collectChanges(input, layer, draft, written, changes)
    const block = blockOf(layer)
    history = await recordHistory({ draft, pace, block, parent, history, limits, changes })
    for (const [key, { older, newer }] of changes) {
      if (!replaced.has(key)) replaced.set(key, older)
      written.set(key, newer)
    }
    for (const [codeHash, code] of layer.codes) draft.set(String.fromCharCode(BUCKETS.code) + codeHash, code)
    draft.set(bucketKey(BUCKETS.layer, hexToBytes(layer.hash)), null)
    parent = block
  }
  history = await pruneHistory({ draft, pace, history, newest: parent.number, limits, maxBlocks: layers.length + EXTRA_PRUNED_BLOCKS })
  for (const [key, value] of written) draft.set(key, value)
  draft.set(metaKey(META_HISTORY), history === null ? null : encodeHistoryBounds(history))
  draft.set(metaKey(META_DISK), encodeDiskMarker(parent))
  return { draft, replaced, storageGone, history }
}

/** Prune extra blocks, to catch up after the history window was reduced. */
const EXTRA_PRUNED_BLOCKS = 3

export function blockOf(layer: Layer): StateBlock {
  return { hash: layer.hash, number: layer.number, stateRoot: bytesToHex(layer.stateRoot) as Hash }
}

async function wipeStorage({ store, tables, hash, pace }: FlattenInput, layer: Layer, changes: Changes): Promise<boolean> {
  let gone = false
  for (const change of layer.changes) {
    if (!change.deleted && !change.storageReset) continue
    const account = tables.account(change.address)
    if (account === null || equalBytes(account.storageRoot, EMPTY_TRIE_ROOT_BYTES)) continue
    gone = true
    const addressHash = hash(change.address)
    for (const bucket of [BUCKETS.slot, BUCKETS.storageNode]) {
      const { from, to } = prefixRange(bucketKey(bucket, addressHash))
      for await (const [key, older] of store.range(from, to)) {
        changes.set(bytesToKey(key), { older, newer: null })
        if (pace.due()) await pace.breathe()
      }
    }
  }
  return gone
}

async function collectChanges(
  { tables, hash, pace }: FlattenInput,
  layer: Layer,
  draft: BatchDraft,
  written: ReadonlyMap<string, Uint8Array | null>,
  changes: Changes,
): Promise<void> {
  const before = (key: string, fromTables: () => Uint8Array | null): Uint8Array | null => {
    const wiped = changes.get(key)
    if (wiped !== undefined) return wiped.older
    const earlier = written.get(key)
    return earlier === undefined ? fromTables() : earlier
  }
  const change = (key: string, older: Uint8Array | null, newer: Uint8Array | null): void => {
    if (older === newer || (older !== null && newer !== null && equalBytes(older, newer))) changes.delete(key)
    else changes.set(key, { older, newer })
  }
  for (const { address, slots } of layer.changes) {
    const addressHash = hash(address)
    const account = layer.accounts.get(bytesToKey(address)) ?? null
    const key = bytesToKey(bucketKey(BUCKETS.account, addressHash))
    const older = before(key, () => flatAccount(tables, address))
    change(key, older, account === null ? null : encodeFlatAccount(account))
    if (account !== null && older === null) draft.set(bucketKey(BUCKETS.preimage, addressHash), address)
    for (const [slot, value] of slots) {
      const slotHash = hash(slot)
      const slotKey = bytesToKey(bucketKey(BUCKETS.slot, addressHash, slotHash))
      const olderValue = before(slotKey, () => flatSlot(tables, address, slot))
      const newer = trimSlotValue(value)
      change(slotKey, olderValue, newer.length === 0 ? null : newer)
      if (newer.length > 0 && olderValue === null) draft.set(bucketKey(BUCKETS.preimage, slotHash), slot)
      if (pace.due()) await pace.breathe()
    }
    if (pace.due()) await pace.breathe()
  }
  for (const [key, newer] of layer.nodes) {
    change(
      key,
      before(key, () => tables.node(key)),
      newer,
    )
    if (pace.due()) await pace.breathe()
  }
}

function flatAccount(tables: DiskLayer, address: Bytes20): Uint8Array | null {
  const account = tables.account(address)
  return account === null ? null : encodeFlatAccount(account)
}

function flatSlot(tables: DiskLayer, address: Bytes20, slot: Bytes32): Uint8Array | null {
  const value = trimSlotValue(tables.storage(address, slot))
  return value.length === 0 ? null : value
}
