import type { Log } from '@keelson/primitives'
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
  SLOT_CHANGED,
  SLOT_FLAGS,
  SLOT_KEY,
  SLOT_LISTED,
  SLOT_TRANSIENT,
  SLOT_VALUE,
  SLOT_WARM,
} from './layout.ts'
import { readLogs } from './write-back.ts'

/** Accesses, transient storage and logs that a call left in its instance, until the next call clears them. */
export class UnreadCall {
  readonly #core: CoreInstance
  readonly #succeeded: boolean

  constructor(core: CoreInstance, succeeded: boolean) {
    this.#core = core
    this.#succeeded = succeeded
  }

  logs(): Log[] {
    return readLogs(this.#core)
  }

  /** A call that failed makes everything cold again. */
  addAccesses(access: AccessSets): void {
    const { memory, exports } = this.#core
    const accountEnd = ACCOUNTS + ACCOUNT_BYTES * exports.accountCount()
    for (let account = ACCOUNTS; account < accountEnd; account += ACCOUNT_BYTES) {
      const flags = memory.u32(account + ACCOUNT_FLAGS)
      const warms = this.#succeeded && (flags & ACCOUNT_WARM) !== 0
      if (!warms && (flags & ACCOUNT_LISTED) === 0) continue
      const key = memory.addressKey(account + ACCOUNT_ADDRESS)
      if ((flags & ACCOUNT_LISTED) !== 0) access.list(key)
      if (warms) access.warmKey(key)
    }
    const slots = exports.slotCount()
    for (let i = 0; i < slots; i++) this.#addSlot(access, exports.slotAddress(i) >>> 0)
  }

  #addSlot(access: AccessSets, slot: number): void {
    const { memory } = this.#core
    const flags = memory.u32(slot + SLOT_FLAGS)
    const warms = this.#succeeded && (flags & SLOT_WARM) !== 0
    const isTransient = (flags & SLOT_TRANSIENT) !== 0
    const changes = this.#succeeded && isTransient && (flags & SLOT_CHANGED) !== 0
    if (!warms && !changes && (flags & SLOT_LISTED) === 0) return
    const key = memory.addressKey(memory.u32(slot + SLOT_ACCOUNT) + ACCOUNT_ADDRESS) + memory.wordKey(slot + SLOT_KEY)
    if ((flags & SLOT_LISTED) !== 0) access.listSlot(key)
    if (warms) access.warmSlotKey(key)
    if (changes) access.setTransient(key, memory.word(slot + SLOT_VALUE))
  }
}
