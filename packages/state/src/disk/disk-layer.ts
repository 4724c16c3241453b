/**
 * The state on disk: the flat and trie tables of one block, behind caches capped in bytes. While a
 * flatten is under way the values it replaces are kept here, so that readers of the old state see it
 * whichever side of the write they are on.
 */
import { type Account, type Bytes20, type Bytes32, bytesToHex } from '@keelson/primitives'
import { decodeFlatAccount } from '../account-codec.ts'
import { BUCKETS, bucketKey } from '../buckets.ts'
import { bytesToKey, keyToBytes } from '../byte-key.ts'
import { StateError } from '../errors.ts'
import type { Hasher } from '../hasher.ts'
import type { HistoryBounds } from '../history/history-block.ts'
import type { Layer } from '../layers/layer.ts'
import type { KeyValueReader } from '../ports.ts'
import { padSlotValue, ZERO_SLOT } from '../slot-value.ts'
import type { StateBlock } from '../state-store.ts'
import type { DiskCache } from './disk-cache.ts'

/** Values a running flatten replaces, by versioned key. */
export type ReplacedValues = ReadonlyMap<string, Uint8Array | null>

export class DiskLayer {
  block: StateBlock
  history: HistoryBounds | null
  /** The youngest layer a running flatten moves here, and what the flatten replaces. */
  pending: { readonly last: Layer; readonly replaced: ReplacedValues } | null = null
  /** Changes when the disk layer goes back: views made before are void. */
  generation = 0
  /** While true the tables may be those of either block. */
  goingBack = false
  /** Of this block's tables and no other's. */
  cache: DiskCache
  readonly store: KeyValueReader
  private readonly hash: Hasher

  constructor(store: KeyValueReader, hash: Hasher, cache: DiskCache, block: StateBlock, history: HistoryBounds | null) {
    this.store = store
    this.hash = hash
    this.cache = cache
    this.block = block
    this.history = history
  }

  /** Number of the oldest block whose state can be read. History that does not reach up to the disk layer's block tells nothing. */
  get oldestReadable(): number {
    return this.history !== null && this.history.newest === this.block.number ? this.history.oldest - 1 : this.block.number
  }

  /** Straight from the table, whatever is pending. */
  readonly raw = (versionedKey: string): Uint8Array | null => this.store.getSync(keyToBytes(versionedKey))

  accountKey(address: Bytes20): string {
    return bytesToKey(bucketKey(BUCKETS.account, this.hash(address)))
  }

  slotKey(address: Bytes20, slot: Bytes32): string {
    return bytesToKey(bucketKey(BUCKETS.slot, this.hash(address), this.hash(slot)))
  }

  account(address: Bytes20): Account | null {
    const key = bytesToKey(address)
    let account = this.cache.accounts.get(key)
    if (account === undefined) {
      const bytes = this.raw(this.accountKey(address))
      account = bytes === null ? null : decodeFlatAccount(bytes)
      this.cache.accounts.set(key, account)
    }
    return account
  }

  storage(address: Bytes20, slot: Bytes32): Bytes32 {
    const key = bytesToKey(address) + bytesToKey(slot)
    let value = this.cache.slots.get(key)
    if (value === undefined) {
      const bytes = this.raw(this.slotKey(address, slot))
      value = bytes === null ? ZERO_SLOT : padSlotValue(bytes)
      this.cache.slots.set(key, value)
    }
    return value
  }

  node(key: string): Uint8Array | null {
    let rlp = this.cache.nodes.get(key)
    if (rlp === undefined) {
      rlp = this.raw(key)
      this.cache.nodes.set(key, rlp)
    }
    return rlp
  }

  /** Throws StateError `state/missing-code`. */
  code(codeHash: Bytes32): Uint8Array {
    const key = bytesToKey(codeHash)
    let code = this.cache.codes.get(key)
    if (code === undefined) {
      const stored = this.store.getSync(bucketKey(BUCKETS.code, codeHash))
      if (stored === null) {
        throw new StateError('state/missing-code', 'critical', `no code with hash ${bytesToHex(codeHash)} in the state`)
      }
      code = stored
      this.cache.codes.set(key, code)
    }
    return code
  }

  /** The pending layers have been written: the last is the disk's state now. `storageGone`: some account lost slots unnamed by the first. */
  take(layers: readonly Layer[], storageGone: boolean, block: StateBlock, history: HistoryBounds | null): void {
    for (const [i, layer] of layers.entries()) this.cache.take(layer, storageGone && i === 0)
    this.block = block
    this.history = history
    this.pending = null
  }

  /** The tables have gone back to an earlier block. */
  goBack(block: StateBlock, history: HistoryBounds | null): void {
    this.block = block
    this.history = history
    this.generation++
    this.cache.forget()
  }
}
