/** Values of the tables on disk, as they are after one block; capped in bytes. */
import type { Account, Bytes32 } from '@keelson/primitives'
import type { Layer } from '../layers/layer.ts'
import type { CacheUse } from '../state-store.ts'
import { ByteLru } from './byte-lru.ts'

const ACCOUNT_BYTES = 200
const SLOT_BYTES = 32

export class DiskCache {
  /** By address. */
  readonly accounts: ByteLru<Account | null>
  /** By address followed by slot. */
  readonly slots: ByteLru<Bytes32>
  /** By key in the store. */
  readonly nodes: ByteLru<Uint8Array | null>
  /** By code hash; right whatever the block. */
  readonly codes: ByteLru<Uint8Array>

  constructor(maxBytes: number) {
    this.accounts = new ByteLru(maxBytes / 8, () => ACCOUNT_BYTES)
    this.slots = new ByteLru(maxBytes / 4, () => SLOT_BYTES)
    this.nodes = new ByteLru(maxBytes / 2, (rlp) => rlp?.length ?? 0)
    this.codes = new ByteLru(maxBytes / 8, (code) => code.length)
  }

  uses(): CacheUse[] {
    const { accounts, slots, nodes, codes } = this
    return Object.entries({ accounts, slots, nodes, codes }).map(([name, { usedBytes, maxBytes }]) => ({
      name,
      bytes: usedBytes,
      maxBytes,
    }))
  }

  /** The tables have moved on by this layer. `storageGone`: some account lost slots and nodes that the layer does not name. */
  take(layer: Layer, storageGone: boolean): void {
    this.takeValues(layer, storageGone)
    for (const [key, rlp] of layer.nodes) this.nodes.set(key, rlp)
  }

  /** The same without the nodes, which the caller has to forget or to take. */
  takeValues(layer: Layer, storageGone: boolean): void {
    if (storageGone) {
      this.slots.clear()
      this.nodes.clear()
    }
    for (const [address, account] of layer.accounts) this.accounts.set(address, account)
    for (const [key, value] of layer.slots) this.slots.set(key, value)
  }

  /** The tables are those of another block, in ways unknown. */
  forget(): void {
    this.accounts.clear()
    this.slots.clear()
    this.nodes.clear()
  }
}
