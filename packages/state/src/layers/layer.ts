/** The fields are views into the encoded layer record, or into the parts of a new block's record. */
import {
  type Account,
  type AccountChange,
  type Bytes32,
  decodeStateDiff,
  EMPTY_TRIE_ROOT_BYTES,
  equalBytes,
  type Hash,
  type StateChanges,
} from '@keelson/primitives'
import { bytesToKey } from '../byte-key.ts'
import type { ComputedState } from '../compute-state.ts'
import { StateError } from '../errors.ts'
import type { Hasher } from '../hasher.ts'
import type { LayerInput } from '../state-store.ts'
import { decodeNodeChanges, type NodeChanges } from '../trie/node-changes.ts'
import { decodeLayerRecord, encodeLayerRecord } from './layer-record.ts'

export interface Layer {
  readonly hash: Hash
  readonly parentHash: Hash
  readonly number: number
  readonly stateRoot: Bytes32
  readonly bytes: number
  readonly changes: readonly AccountChange[]
  readonly accounts: ReadonlyMap<string, Account | null>
  readonly slots: ReadonlyMap<string, Bytes32>
  /** Addresses and address hashes whose earlier storage is deleted. */
  readonly wiped: ReadonlySet<string>
  readonly codes: ReadonlyMap<string, Uint8Array>
  readonly nodes: ReadonlyMap<string, Uint8Array | null>
  /** True if the layer left the tree without being flattened. */
  dropped: boolean
}

/** A new block's layer and the record of it, made without decoding what `input` holds already. */
export function newLayer({ hash, parentHash, number, diff, computed }: LayerInput, hasher: Hasher): { layer: Layer; record: Uint8Array } {
  const { changes, nodes, nodeChanges, root: stateRoot } = computed
  const storageRoots = storageRootsOf(computed)
  const record = encodeLayerRecord({ hash, parentHash, number, stateRoot, diff, nodes, storageRoots })
  const head = { hash, parentHash, number, stateRoot, bytes: record.length }
  return { layer: createLayer(head, { ...changes, storageRoots, nodes: () => nodeChanges }, hasher), record }
}

/** In the order of the changed accounts; a deleted account has the empty root. */
function storageRootsOf({ changes, storageRoot }: ComputedState): Bytes32[] {
  const roots = changes.accounts.map(({ address }) => storageRoot(address) ?? EMPTY_TRIE_ROOT_BYTES)
  // Copied together, because a view would keep the whole record it was read from in memory.
  const kept = new Uint8Array(32 * roots.length)
  return roots.map((root, i) => {
    if (equalBytes(root, EMPTY_TRIE_ROOT_BYTES)) return EMPTY_TRIE_ROOT_BYTES
    kept.set(root, 32 * i)
    return kept.subarray(32 * i, 32 * (i + 1))
  })
}

export function openLayer(bytes: Uint8Array, hash: Hasher): Layer {
  const record = decodeLayerRecord(bytes)
  const diff = decodeStateDiff(record.diff)
  const { storageRoots } = record
  if (storageRoots.length !== diff.accounts.length) {
    throw new StateError(
      'state/corrupt-record',
      'critical',
      `layer of block ${record.number} has ${storageRoots.length} storage roots for ${diff.accounts.length} accounts`,
    )
  }
  return createLayer({ ...record, bytes: bytes.length }, { ...diff, storageRoots, nodes: () => decodeNodeChanges(record.nodes) }, hash)
}

type LayerHead = Pick<Layer, 'hash' | 'parentHash' | 'number' | 'stateRoot' | 'bytes'>

interface LayerContents extends StateChanges {
  readonly storageRoots: readonly Bytes32[]
  nodes(): NodeChanges
}

function createLayer({ hash, parentHash, number, stateRoot, bytes }: LayerHead, contents: LayerContents, hasher: Hasher): Layer {
  const accounts = new Map<string, Account | null>()
  const slots = new Map<string, Bytes32>()
  const wiped = new Set<string>()
  for (const [i, change] of contents.accounts.entries()) {
    const address = bytesToKey(change.address)
    const { nonce, balanceWei, codeHash } = change
    accounts.set(address, change.deleted ? null : { nonce, balanceWei, codeHash, storageRoot: contents.storageRoots[i] as Bytes32 })
    if (change.deleted || change.storageReset) wiped.add(address).add(bytesToKey(hasher(change.address)))
    for (const [slot, value] of change.slots) slots.set(address + bytesToKey(slot), value)
  }
  let nodes: NodeChanges | null = null
  return {
    hash,
    parentHash,
    number,
    stateRoot,
    bytes,
    changes: contents.accounts,
    accounts,
    slots,
    wiped,
    codes: new Map(contents.codes.map(([codeHash, code]) => [bytesToKey(codeHash), code])),
    get nodes() {
      nodes ??= contents.nodes()
      return nodes
    },
    dropped: false,
  }
}
