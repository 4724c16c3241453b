/** Table values as of one block. */
import type { Account, Bytes32 } from '@keelson/primitives'
import type { Layer } from '../layers/layer.ts'
import type { CacheUse } from '../state-store.ts'
import { ByteLru } from './byte-lru.ts'

const ACCOUNT_BYTES = 200
const SLOT_BYTES = 32

export class DiskCache {
  readonly accounts: ByteLru<Account | null>
  readonly slots: ByteLru<Bytes32>
  readonly nodes: ByteLru<Uint8Array | null>
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

  /** `storageGone`: an account lost slots and nodes that the layer does not list. */
  take(layer: Layer, storageGone: boolean): void {
    this.takeValues(layer, storageGone)
    for (const [key, rlp] of layer.nodes) this.nodes.set(key, rlp)
  }

  takeValues(layer: Layer, storageGone: boolean): void {
    if (storageGone) {
      this.slots.clear()
      this.nodes.clear()
    }
    for (const [address, account] of layer.accounts) this.accounts.set(address, account)
    for (const [key, value] of layer.slots) this.slots.set(key, value)
  }

  forget(): void {
    this.accounts.clear()
    this.slots.clear()
    this.nodes.clear()
  }
}
