/** Table values as of one block. */
import type { Account, Bytes32 } from '@keelson/primitives'
import type { Layer } from '../layers/layer.ts'
import type { CacheUse } from '../state-store.ts'
import { ByteLru } from './byte-lru.ts'
import type { Pace } from './pace.ts'

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
  async take(layer: Layer, storageGone: boolean, pace: Pace): Promise<void> {
    if (storageGone) this.forgetStorage()
    for (const [address, account] of layer.accounts) {
      this.accounts.set(address, account)
      if (pace.due()) await pace.breathe()
    }
    for (const [key, value] of layer.slots) {
      this.slots.set(key, value)
      if (pace.due()) await pace.breathe()
    }
    for (const [key, rlp] of layer.nodes) {
      this.nodes.set(key, rlp)
      if (pace.due()) await pace.breathe()
    }
  }

  takeValues(layer: Layer, storageGone: boolean): void {
    if (storageGone) this.forgetStorage()
    for (const [address, account] of layer.accounts) this.accounts.set(address, account)
    for (const [key, value] of layer.slots) this.slots.set(key, value)
  }

  private forgetStorage(): void {
    this.slots.clear()
    this.nodes.clear()
  }

  forget(): void {
    this.accounts.clear()
    this.slots.clear()
    this.nodes.clear()
  }
}
