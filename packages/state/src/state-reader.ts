import { type Account, type Bytes20, type Bytes32, EMPTY_BYTES, EMPTY_CODE_HASH_BYTES, equalBytes, keccak256 } from '@keelson/primitives'
import { decodeFlatAccount } from './account-codec.ts'
import { ACCOUNT_NODE_PREFIX, storageNodePrefix } from './buckets.ts'
import { bytesToKey } from './byte-key.ts'
import type { TrieState } from './compute-state.ts'
import type { DiskLayer } from './disk/disk-layer.ts'
import { StateError } from './errors.ts'
import { readAtBlock } from './history/history-value.ts'
import type { Layer } from './layers/layer.ts'
import type { LayerTree } from './layers/layer-tree.ts'
import { Line } from './layers/line.ts'
import type { StateView } from './ports.ts'
import { padSlotValue, ZERO_SLOT } from './slot-value.ts'
import type { NodeGuess, NodePath, NodeSource } from './trie/node-source.ts'

export class StateReader implements StateView, TrieState {
  readonly number: number
  readonly stateRoot: Bytes32
  readonly accountNodes: NodeSource
  readonly lineage: Line
  private readonly tree: LayerTree
  private readonly disk: DiskLayer
  private readonly layer: Layer | null
  private readonly generation: number
  private readonly caching: boolean

  /** Null `layer` means at or below the disk layer. Without `caching`, trie nodes read from disk are not kept. */
  constructor(tree: LayerTree, disk: DiskLayer, number: number, stateRoot: Bytes32, layer: Layer | null, caching = true) {
    this.tree = tree
    this.disk = disk
    this.number = number
    this.stateRoot = stateRoot
    this.layer = layer
    this.lineage = layer === null ? new Line() : tree.lineage(layer)
    this.generation = disk.generation
    this.caching = caching
    this.accountNodes = { node: (path, hash, guess) => this.node(ACCOUNT_NODE_PREFIX + path, null, hash, guess) }
  }

  account(address: Bytes20): Account | null {
    this.assertFresh()
    const key = bytesToKey(address)
    const changed = this.tree.accounts.find(key, this.lineage)
    if (changed !== null) return changed.accounts.get(key) ?? null
    const old = this.replaced(() => this.disk.accountKey(address))
    if (old === undefined) return this.disk.account(address)
    return old === null ? null : decodeFlatAccount(old)
  }

  withoutCaching(): StateReader {
    return new StateReader(this.tree, this.disk, this.number, this.stateRoot, this.layer, false)
  }

  /** True if reading the account takes no read from disk. */
  knowsAccount(address: string): boolean {
    return this.tree.accounts.find(address, this.lineage) !== null || this.disk.cache.accounts.get(address) !== undefined
  }

  /** Undefined if only the disk may hold the node. */
  knownAccountNode(path: NodePath): Uint8Array | null | undefined {
    const key = ACCOUNT_NODE_PREFIX + path
    const changed = this.tree.nodes.find(key, this.lineage)
    return changed === null ? this.disk.cache.nodes.get(key) : (changed.nodes.get(key) ?? null)
  }

  storage(address: Bytes20, slot: Bytes32): Bytes32 {
    this.assertFresh()
    const owner = bytesToKey(address)
    const key = owner + bytesToKey(slot)
    const changed = this.tree.slots.find(key, this.lineage)
    const wiped = this.tree.wiped.find(owner, this.lineage)
    if (changed !== null && (wiped === null || changed.number >= wiped.number)) return changed.slots.get(key) as Bytes32
    if (wiped !== null) return ZERO_SLOT
    const old = this.replaced(() => this.disk.slotKey(address, slot))
    if (old === undefined) return this.disk.storage(address, slot)
    return old === null ? ZERO_SLOT : padSlotValue(old)
  }

  code(codeHash: Bytes32): Uint8Array {
    if (equalBytes(codeHash, EMPTY_CODE_HASH_BYTES)) return EMPTY_BYTES
    const key = bytesToKey(codeHash)
    return this.tree.codes.findAny(key)?.codes.get(key) ?? this.disk.code(codeHash)
  }

  /** Finds slots by their hashes: on disk, or among the changes of this block's layers. */
  slotPreimages(address: Bytes20): (slotHash: Bytes32) => Bytes32 | null {
    let recent: Map<string, Bytes32> | null = null
    return (slotHash) => {
      const known = this.disk.preimage(slotHash)
      if (known !== null) return known
      recent ??= changedSlots(this.lineage, address)
      return recent.get(bytesToKey(slotHash)) ?? null
    }
  }

  storageNodes(addressHash: Bytes32): NodeSource {
    const owner = bytesToKey(addressHash)
    const prefix = storageNodePrefix(addressHash)
    return { node: (path, hash, guess) => this.node(prefix + path, owner, hash, guess) }
  }

  private node(key: string, owner: string | null, hash: Bytes32, guess: NodeGuess | undefined): Uint8Array | null {
    this.assertFresh()
    const changed = this.tree.nodes.find(key, this.lineage)
    const wiped = owner === null ? null : this.tree.wiped.find(owner, this.lineage)
    if (changed !== null && (wiped === null || changed.number >= wiped.number)) return changed.nodes.get(key) ?? null
    if (wiped !== null) return null
    const old = this.replaced(() => key)
    if (old !== undefined) return old
    return this.caching ? this.disk.node(key, hash, guess) : this.disk.peekNode(key)
  }

  /** Undefined if the disk does not hold a later block's state. */
  private replaced(versionedKey: () => string): Uint8Array | null | undefined {
    const { pending, block } = this.disk
    const pendingIsLater = pending !== null && !this.lineage.has(pending.last)
    if (block.number > this.number) {
      const current = (key: string) => pending?.replaced.get(key) ?? (pending?.replaced.has(key) ? null : this.disk.raw(key))
      return readAtBlock(this.disk.raw, versionedKey(), this.number, current)
    }
    return pendingIsLater ? pending.replaced.get(versionedKey()) : undefined
  }

  assertFresh(): void {
    const { block, generation, goingBack, oldestReadable } = this.disk
    const dropped = this.layer?.dropped === true || generation !== this.generation || goingBack
    if (dropped || this.number < oldestReadable) {
      throw new StateError(
        'state/stale-view',
        'temporary',
        `the state of block ${this.number} is gone: ${dropped ? 'its branch was dropped' : 'it is older than the history kept'}`,
        { block: this.number, disk: block.number },
      )
    }
  }
}

/** The slots by their hashes. */
function changedSlots(lineage: Line, address: Bytes20): Map<string, Bytes32> {
  const found = new Map<string, Bytes32>()
  for (const { changes } of lineage) {
    const change = changes.find((other) => equalBytes(other.address, address))
    for (const [slot] of change?.slots ?? []) found.set(bytesToKey(keccak256(slot)), slot)
  }
  return found
}
