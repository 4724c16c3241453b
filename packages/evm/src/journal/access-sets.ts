/** EIP-2929, EIP-1153 */
import type { AccessList, Bytes20, Bytes32 } from '@keelson/primitives'
import { bytesKey, type Journal, keyBytes } from './journal.ts'

const ADDRESS_CHARACTERS = 20

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

  isWarm(address: Bytes20): boolean {
    const key = bytesKey(address)
    if (this.#addresses.has(key) || this.#precompiles.has(key)) return true
    this.#listed.add(key)
    return false
  }

  knowsWarm(address: Bytes20): boolean {
    const key = bytesKey(address)
    return this.#addresses.has(key) || this.#precompiles.has(key)
  }

  list(address: Bytes20): void {
    this.#listed.add(bytesKey(address))
  }

  listSlot(address: Bytes20, slot: Bytes32): void {
    this.#listedSlots.add(bytesKey(address) + bytesKey(slot))
  }

  get hasSlots(): boolean {
    return this.#slots.size > 0 || this.#transient.size > 0
  }

  warm(address: Bytes20): void {
    const key = bytesKey(address)
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

  isSlotWarm(address: Bytes20, slot: Bytes32): boolean {
    const key = bytesKey(address) + bytesKey(slot)
    if (this.#slots.has(key)) return true
    this.#listedSlots.add(key)
    return false
  }

  knowsWarmSlot(address: Bytes20, slot: Bytes32): boolean {
    return this.#slots.has(bytesKey(address) + bytesKey(slot))
  }

  warmSlot(address: Bytes20, slot: Bytes32): void {
    this.warm(address)
    const key = bytesKey(address) + bytesKey(slot)
    if (this.#slots.has(key)) return
    this.#slots.add(key)
    this.#journal.record(() => this.#slots.delete(key))
  }

  transient(address: Bytes20, slot: Bytes32): Bytes32 | undefined {
    return this.#transient.get(bytesKey(address) + bytesKey(slot))
  }

  setTransient(address: Bytes20, slot: Bytes32, value: Bytes32): void {
    const key = bytesKey(address) + bytesKey(slot)
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
      const address = key.slice(0, ADDRESS_CHARACTERS)
      const slot = keyBytes(key.slice(ADDRESS_CHARACTERS))
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
