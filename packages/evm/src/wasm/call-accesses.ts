import type { AccessSets } from '../journal/access-sets.ts'
import type { CoreInstance } from './core-instance.ts'
import {
  ACCOUNT_ADDRESS,
  ACCOUNT_BYTES,
  ACCOUNT_FLAGS,
  ACCOUNT_LISTED,
  ACCOUNT_WARM,
  ACCOUNTS,
  FIRST_SLOTS,
  MORE_SLOTS,
  SLOT_ACCOUNT,
  SLOT_BYTES,
  SLOT_CHANGED,
  SLOT_FLAGS,
  SLOT_KEY,
  SLOT_LISTED,
  SLOT_TRANSIENT,
  SLOT_VALUE,
  SLOT_WARM,
  SLOTS,
} from './layout.ts'

const ADDRESS_BYTES = 20
const WORD_BYTES = 32

export class CallAccesses {
  readonly #accounts: Uint8Array
  readonly #slots: readonly Uint8Array[]
  readonly #kept: boolean

  /** `kept` is false when the call failed, which makes everything cold again. */
  constructor({ memory, exports }: CoreInstance, kept: boolean) {
    this.#kept = kept
    this.#accounts = memory.copy(ACCOUNTS, ACCOUNT_BYTES * exports.accountCount())
    const slots = exports.slotCount()
    const first = memory.copy(SLOTS, SLOT_BYTES * Math.min(slots, FIRST_SLOTS))
    this.#slots = slots > FIRST_SLOTS ? [first, memory.copy(MORE_SLOTS, SLOT_BYTES * (slots - FIRST_SLOTS))] : [first]
  }

  addTo(access: AccessSets): void {
    for (let at = 0; at < this.#accounts.length; at += ACCOUNT_BYTES) {
      const flags = u32(this.#accounts, at + ACCOUNT_FLAGS)
      const address = reversed(this.#accounts, at + ACCOUNT_ADDRESS, ADDRESS_BYTES)
      if ((flags & ACCOUNT_LISTED) !== 0) access.list(address)
      if (this.#kept && (flags & ACCOUNT_WARM) !== 0) access.warm(address)
    }
    for (const slots of this.#slots) this.#addSlots(slots, access)
  }

  #addSlots(slots: Uint8Array, access: AccessSets): void {
    for (let at = 0; at < slots.length; at += SLOT_BYTES) {
      const flags = u32(slots, at + SLOT_FLAGS)
      const account = u32(slots, at + SLOT_ACCOUNT) - ACCOUNTS
      const address = reversed(this.#accounts, account + ACCOUNT_ADDRESS, ADDRESS_BYTES)
      const key = reversed(slots, at + SLOT_KEY, WORD_BYTES)
      if ((flags & SLOT_LISTED) !== 0) access.listSlot(address, key)
      if (!this.#kept) continue
      if ((flags & SLOT_WARM) !== 0) access.warmSlot(address, key)
      if ((flags & SLOT_TRANSIENT) !== 0 && (flags & SLOT_CHANGED) !== 0)
        access.setTransient(address, key, reversed(slots, at + SLOT_VALUE, WORD_BYTES))
    }
  }
}

function reversed(bytes: Uint8Array, at: number, length: number): Uint8Array {
  return bytes.slice(at, at + length).reverse()
}

function u32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24)) >>> 0
  )
}
