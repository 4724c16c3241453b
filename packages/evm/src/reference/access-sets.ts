/** Warm addresses and slots (EIP-2929) and transient storage (EIP-1153) of the running transaction. */
import type { AccessList, Bytes20, Bytes32 } from '@keelson/primitives'
import { bytesKey, type Journal, keyBytes } from './journal.ts'

const ADDRESS_CHARACTERS = 20

export class AccessSets {
  readonly #journal: Journal
  readonly #precompiles: ReadonlySet<string>
  readonly #addresses = new Set<string>()
  /** Address and slot in one key. */
  readonly #slots = new Set<string>()
  readonly #transient = new Map<string, Bytes32>()

  constructor(journal: Journal, precompiles: ReadonlySet<string>) {
    this.#journal = journal
    this.#precompiles = precompiles
  }

  isWarm(address: Bytes20): boolean {
    const key = bytesKey(address)
    return this.#addresses.has(key) || this.#precompiles.has(key)
  }

  warm(address: Bytes20): void {
    const key = bytesKey(address)
    if (this.#addresses.has(key)) return
    this.#addresses.add(key)
    this.#journal.record(() => this.#addresses.delete(key))
  }

  isSlotWarm(address: Bytes20, slot: Bytes32): boolean {
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

  /** What is warm now, precompiles left out. */
  accessList(): AccessList {
    const slots = new Map<string, Bytes32[]>()
    for (const address of this.#addresses) if (!this.#precompiles.has(address)) slots.set(address, [])
    for (const key of this.#slots) slots.get(key.slice(0, ADDRESS_CHARACTERS))?.push(keyBytes(key.slice(ADDRESS_CHARACTERS)))
    return [...slots].map(([address, keys]) => ({ address: keyBytes(address), slots: keys }))
  }

  clear(): void {
    this.#addresses.clear()
    this.#slots.clear()
    this.#transient.clear()
  }
}
