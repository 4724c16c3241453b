/** EIP-2929, EIP-1153 */
import type { AccessList, Bytes20, Bytes32 } from '@keelson/primitives'
import { ADDRESS_KEY_LENGTH, bytesKey, keyBytes } from './byte-key.ts'
import type { Journal } from './journal.ts'

export class AccessSets {
  readonly #journal: Journal
  readonly #precompiles: ReadonlySet<string>
  readonly #addresses = new Set<string>()
  readonly #slots = new Set<string>()
  readonly #free = new Set<string>()
  /** Not journaled: reverted accesses were charged. */
  readonly #listed = new Set<string>()
  readonly #listedSlots = new Set<string>()
  readonly #transient = new Map<string, Bytes32>()

  constructor(journal: Journal, precompiles: ReadonlySet<string>) {
    this.#journal = journal
    this.#precompiles = precompiles
  }

  // Keys of slots are the key of the address and that of the slot.

  knowsWarm(addressKey: string): boolean {
    return this.#addresses.has(addressKey) || this.#precompiles.has(addressKey)
  }

  list(addressKey: string): void {
    this.#listed.add(addressKey)
  }

  listSlot(slotKey: string): void {
    this.#listedSlots.add(slotKey)
  }

  get hasSlots(): boolean {
    return this.#slots.size > 0 || this.#transient.size > 0
  }

  warm(address: Bytes20): void {
    this.warmKey(bytesKey(address))
  }

  warmKey(key: string): void {
    if (this.#addresses.has(key)) return
    this.#addresses.add(key)
    this.#journal.record(() => this.#addresses.delete(key))
  }

  warmForFree(address: Bytes20): void {
    this.#free.add(bytesKey(address))
    this.warm(address)
  }

  warmList(list: AccessList): void {
    for (const { address, slots } of list) {
      this.warm(address)
      this.#listed.add(bytesKey(address))
      for (const slot of slots) {
        this.warmSlot(address, slot)
        this.#listedSlots.add(bytesKey(address) + bytesKey(slot))
      }
    }
  }

  knowsWarmSlot(slotKey: string): boolean {
    return this.#slots.has(slotKey)
  }

  warmSlot(address: Bytes20, slot: Bytes32): void {
    this.warm(address)
    this.warmSlotKey(bytesKey(address) + bytesKey(slot))
  }

  /** Leaves the account as it is. */
  warmSlotKey(key: string): void {
    if (this.#slots.has(key)) return
    this.#slots.add(key)
    this.#journal.record(() => this.#slots.delete(key))
  }

  transient(slotKey: string): Bytes32 | undefined {
    return this.#transient.get(slotKey)
  }

  setTransient(key: string, value: Bytes32): void {
    const before = this.#transient.get(key)
    this.#transient.set(key, value)
    this.#journal.record(() => {
      if (before === undefined) this.#transient.delete(key)
      else this.#transient.set(key, before)
    })
  }

  accessList(): AccessList {
    const slots = new Map<string, Bytes32[]>()
    for (const address of this.#listed) {
      if (!this.#free.has(address) && !this.#precompiles.has(address)) slots.set(address, [])
    }
    for (const key of this.#listedSlots) {
      const address = key.slice(0, ADDRESS_KEY_LENGTH)
      const slot = keyBytes(key.slice(ADDRESS_KEY_LENGTH))
      const known = slots.get(address)
      if (known === undefined) slots.set(address, [slot])
      else known.push(slot)
    }
    return [...slots].map(([address, keys]) => ({ address: keyBytes(address), slots: keys }))
  }

  clear(): void {
    this.#addresses.clear()
    this.#slots.clear()
    this.#free.clear()
    this.#listed.clear()
    this.#listedSlots.clear()
    this.#transient.clear()
  }
}
