/** What a call accessed, kept until somebody asks: most transactions end without. */
import type { Bytes20, Bytes32 } from '@keelson/primitives'
import type { AccessSets } from '../journal/access-sets.ts'
import type { CoreInstance } from './core-instance.ts'
import {
  ACCOUNT_ADDRESS,
  ACCOUNT_BYTES,
  ACCOUNT_FLAGS,
  ACCOUNT_LISTED,
  ACCOUNT_WARM,
  ACCOUNTS,
  SLOT_ACCOUNT,
  SLOT_BYTES,
  SLOT_FLAGS,
  SLOT_KEY,
  SLOT_LISTED,
  SLOT_TRANSIENT,
  SLOT_WARM,
  SLOTS,
} from './layout.ts'

const ADDRESS_BYTES = 20
const WORD_BYTES = 32
/** Limbs as they were in the core's memory, then the flags. */
const ACCOUNT_RECORD = 24
const SLOT_RECORD = 56

export class CallAccesses {
  readonly #accounts: Uint8Array
  readonly #slots: Uint8Array
  readonly #kept: boolean

  /** `kept` is false when the call failed, which makes everything cold again. */
  constructor({ memory, exports }: CoreInstance, kept: boolean) {
    const { bytes, view } = memory
    const accountCount = exports.accountCount()
    const slotCount = exports.slotCount()
    this.#kept = kept
    this.#accounts = new Uint8Array(ACCOUNT_RECORD * accountCount)
    this.#slots = new Uint8Array(SLOT_RECORD * slotCount)
    for (let i = 0; i < accountCount; i++) {
      const account = ACCOUNTS + ACCOUNT_BYTES * i
      this.#accounts.set(bytes.subarray(account + ACCOUNT_ADDRESS, account + ACCOUNT_ADDRESS + ADDRESS_BYTES), ACCOUNT_RECORD * i)
      this.#accounts.set(bytes.subarray(account + ACCOUNT_FLAGS, account + ACCOUNT_FLAGS + 4), ACCOUNT_RECORD * i + ADDRESS_BYTES)
    }
    for (let i = 0; i < slotCount; i++) {
      const slot = SLOTS + SLOT_BYTES * i
      const account = view.getUint32(slot + SLOT_ACCOUNT, true)
      this.#slots.set(bytes.subarray(slot + SLOT_KEY, slot + SLOT_KEY + WORD_BYTES), SLOT_RECORD * i)
      this.#slots.set(bytes.subarray(account + ACCOUNT_ADDRESS, account + ACCOUNT_ADDRESS + ADDRESS_BYTES), SLOT_RECORD * i + WORD_BYTES)
      this.#slots.set(bytes.subarray(slot + SLOT_FLAGS, slot + SLOT_FLAGS + 4), SLOT_RECORD * i + WORD_BYTES + ADDRESS_BYTES)
    }
  }

  addTo(access: AccessSets): void {
    for (const [address, flags] of this.#accountFlags()) {
      if ((flags & ACCOUNT_LISTED) !== 0) access.list(address)
      if (this.#kept && (flags & ACCOUNT_WARM) !== 0) access.warm(address)
    }
    for (const [address, key, flags] of this.#slotFlags()) {
      if ((flags & SLOT_TRANSIENT) !== 0) continue
      if ((flags & SLOT_LISTED) !== 0) access.listSlot(address, key)
      if (this.#kept && (flags & SLOT_WARM) !== 0) access.warmSlot(address, key)
    }
  }

  *#accountFlags(): Generator<readonly [Bytes20, number]> {
    for (let at = 0; at < this.#accounts.length; at += ACCOUNT_RECORD) {
      yield [this.#accounts.slice(at, at + ADDRESS_BYTES).reverse(), flagsAt(this.#accounts, at + ADDRESS_BYTES)]
    }
  }

  *#slotFlags(): Generator<readonly [Bytes20, Bytes32, number]> {
    for (let at = 0; at < this.#slots.length; at += SLOT_RECORD) {
      const addressAt = at + WORD_BYTES
      const address = this.#slots.slice(addressAt, addressAt + ADDRESS_BYTES).reverse()
      yield [address, this.#slots.slice(at, addressAt).reverse(), flagsAt(this.#slots, addressAt + ADDRESS_BYTES)]
    }
  }
}

function flagsAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
}
