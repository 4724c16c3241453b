/** Getters return null when the call has not met the account or the slot. */
import type { Bytes20, Bytes32 } from '@keelson/primitives'
import type { CoreInstance } from './core-instance.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_CODE_HASH,
  ACCOUNT_EXISTS,
  ACCOUNT_FLAGS,
  ACCOUNT_LOADED,
  ACCOUNT_NONCE,
  LOOKUP,
  SLOT_FLAGS,
  SLOT_LOADED,
  SLOT_VALUE,
} from './layout.ts'

export interface LiveAccount {
  readonly exists: boolean
  readonly balanceWei: bigint
  readonly nonce: bigint
  readonly codeHash: Bytes32
}

const KEY_AT = LOOKUP + 32

export class LiveState {
  readonly #core: CoreInstance

  constructor(core: CoreInstance) {
    this.#core = core
  }

  account(address: Bytes20): LiveAccount | null {
    const { memory } = this.#core
    const account = this.#find(address)
    if (account === 0) return null
    return {
      exists: (memory.u32(account + ACCOUNT_FLAGS) & ACCOUNT_EXISTS) !== 0,
      balanceWei: memory.number(account + ACCOUNT_BALANCE),
      nonce: memory.u64(account + ACCOUNT_NONCE),
      codeHash: memory.word(account + ACCOUNT_CODE_HASH),
    }
  }

  slot(address: Bytes20, key: Bytes32): Bytes32 | null {
    const { memory, exports } = this.#core
    const account = this.#find(address)
    if (account === 0) return null
    memory.setWord(KEY_AT, key)
    const slot = exports.findSlot(account, KEY_AT, 0) >>> 0
    if (slot === 0 || (memory.u32(slot + SLOT_FLAGS) & SLOT_LOADED) === 0) return null
    return memory.word(slot + SLOT_VALUE)
  }

  #find(address: Bytes20): number {
    const { memory, exports } = this.#core
    memory.setAddress(LOOKUP, address)
    const account = exports.findAccount(LOOKUP)
    return account !== 0 && (memory.u32(account + ACCOUNT_FLAGS) & ACCOUNT_LOADED) !== 0 ? account : 0
  }
}
