/** Keeps values that a flatten replaces for readers of the old state. */
import { type Account, type Bytes20, type Bytes32, bytesToHex, equalBytes, keccak256 } from '@keelson/primitives'
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
import type { NodeGuess } from '../trie/node-source.ts'
import type { DiskCache } from './disk-cache.ts'
import type { Pace } from './pace.ts'

export type ReplacedValues = ReadonlyMap<string, Uint8Array | null>

export class DiskLayer {
  block: StateBlock
  history: HistoryBounds | null
  pending: { readonly last: Layer; readonly replaced: ReplacedValues } | null = null
  /** A rollback increments it to invalidate views. */
  generation = 0
  goingBack = false
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

  /** History that ends below the disk layer's block is not usable. */
  get oldestReadable(): number {
    return this.history !== null && this.history.newest === this.block.number ? this.history.oldest - 1 : this.block.number
  }

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

  preimage(hash: Bytes32): Uint8Array | null {
    return this.store.getSync(bucketKey(BUCKETS.preimage, hash))
  }

  /** A `guess` that hashes to `hash` replaces a read. */
  node(key: string, hash?: Bytes32, guess?: NodeGuess): Uint8Array | null {
    let rlp = this.cache.nodes.get(key)
    if (rlp === undefined) {
      const guessed = guess?.() ?? null
      // Not cached: it can be guessed again, and leaves would displace branches.
      if (guessed !== null && hash !== undefined && equalBytes(keccak256(guessed), hash)) return guessed
      rlp = this.raw(key)
      this.cache.nodes.set(key, rlp)
    }
    return rlp
  }

  /** Leaves the cache as it is, for readers of much that nobody reads again. */
  peekNode(key: string): Uint8Array | null {
    const rlp = this.cache.nodes.get(key)
    return rlp === undefined ? this.raw(key) : rlp
  }

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

  /** No view reads from the cache what the pending batch replaces, so the cache can move in pieces while it is pending. */
  async take(layers: readonly Layer[], storageGone: boolean, block: StateBlock, history: HistoryBounds | null, pace: Pace): Promise<void> {
    for (const [i, layer] of layers.entries()) await this.cache.take(layer, storageGone && i === 0, pace)
    this.block = block
    this.history = history
    this.pending = null
  }

  goBack(block: StateBlock, history: HistoryBounds | null): void {
    this.block = block
    this.history = history
    this.generation++
    this.cache.forget()
  }
}
