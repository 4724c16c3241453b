/** The fields are views into one encoded layer record. */
import { type Account, type AccountChange, type Bytes32, decodeStateDiff, type Hash } from '@keelson/primitives'
import { bytesToKey } from '../byte-key.ts'
import { StateError } from '../errors.ts'
import type { Hasher } from '../hasher.ts'
import { decodeNodeChanges } from '../trie/node-changes.ts'
import { decodeLayerRecord } from './layer-record.ts'

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
  readonly wiped: readonly string[]
  readonly codes: ReadonlyMap<string, Uint8Array>
  readonly nodes: ReadonlyMap<string, Uint8Array | null>
  /** True if the layer left the tree without being flattened. */
  dropped: boolean
}

export function openLayer(bytes: Uint8Array, hash: Hasher): Layer {
  const record = decodeLayerRecord(bytes)
  const diff = decodeStateDiff(record.diff)
  if (record.storageRoots.length !== diff.accounts.length) {
    throw new StateError(
      'state/corrupt-record',
      'critical',
      `layer of block ${record.number} has ${record.storageRoots.length} storage roots for ${diff.accounts.length} accounts`,
    )
  }
  const accounts = new Map<string, Account | null>()
  const slots = new Map<string, Bytes32>()
  const wiped: string[] = []
  diff.accounts.forEach((change, i) => {
    const address = bytesToKey(change.address)
    const { nonce, balanceWei, codeHash } = change
    accounts.set(address, change.deleted ? null : { nonce, balanceWei, codeHash, storageRoot: record.storageRoots[i] as Bytes32 })
    if (change.deleted || change.storageReset) wiped.push(address, bytesToKey(hash(change.address)))
    for (const [slot, value] of change.slots) slots.set(address + bytesToKey(slot), value)
  })
  let nodes: ReadonlyMap<string, Uint8Array | null> | null = null
  return {
    hash: record.hash,
    parentHash: record.parentHash,
    number: record.number,
    stateRoot: record.stateRoot,
    bytes: bytes.length,
    changes: diff.accounts,
    accounts,
    slots,
    wiped,
    codes: new Map(diff.codes.map(([codeHash, code]) => [bytesToKey(codeHash), code])),
    get nodes() {
      nodes ??= decodeNodeChanges(record.nodes)
      return nodes
    },
    dropped: false,
  }
}
