import {
  type Address,
  type Bytes20,
  bytesToHex,
  EMPTY_CODE_HASH,
  formatData,
  formatQuantity,
  type Hash,
  hexToBytes,
  toAddress,
} from '@keelson/primitives'
import type { TraceBudget, TracedState } from './transaction-tracer.ts'

interface AccountBefore {
  readonly balanceWei: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly codeHash: Hash
  readonly storage: Map<Hash, Hash>
}

export interface PrestateOptions {
  readonly withCode: boolean
  readonly withStorage: boolean
  readonly includeEmpty: boolean
}

const ACCOUNT_BYTES = 200
const SLOT_BYTES = 140
const ZERO = `0x${'00'.repeat(32)}`

export class PrestateAccounts {
  readonly #state: TracedState
  readonly #budget: TraceBudget
  readonly #options: PrestateOptions
  readonly #accounts = new Map<Address, AccountBefore>()

  constructor(state: TracedState, budget: TraceBudget, options: PrestateOptions) {
    this.#state = state
    this.#budget = budget
    this.#options = options
  }

  record(bytes: Bytes20): void {
    const address = toAddress(bytes)
    if (this.#accounts.has(address)) return
    const state = this.#state
    const code = state.code(bytes)
    this.#budget.spend(ACCOUNT_BYTES + (this.#options.withCode ? 2 * code.length : 0))
    this.#accounts.set(address, {
      balanceWei: state.balance(bytes),
      nonce: state.nonce(bytes),
      code,
      codeHash: bytesToHex(state.codeHash(bytes)) as Hash,
      storage: new Map(),
    })
  }

  recordSlot(address: Bytes20, slot: Uint8Array): void {
    const account = this.#accounts.get(toAddress(address))
    const key = bytesToHex(slot) as Hash
    if (!this.#options.withStorage || account === undefined || account.storage.has(key)) return
    this.#budget.spend(SLOT_BYTES)
    account.storage.set(key, bytesToHex(this.#state.storage(address, slot)) as Hash)
  }

  before(): unknown {
    const entries = [...this.#accounts].filter(([, account]) => this.#options.includeEmpty || !isEmpty(account))
    return Object.fromEntries(entries.map(([address, account]) => [address, this.#toJson(account, account.storage)]))
  }

  /** Contains only changed values; deleted accounts have no `post`. */
  difference(deleted: ReadonlySet<Address>): unknown {
    const pre: Record<string, unknown> = {}
    const post: Record<string, unknown> = {}
    for (const [address, account] of this.#accounts) {
      if (deleted.has(address)) {
        if (!isEmpty(account)) pre[address] = this.#toJson(account, account.storage)
        continue
      }
      const changed = this.#changes(address, account)
      if (changed === null) continue
      post[address] = changed.post
      if (!isEmpty(account)) pre[address] = this.#toJson(account, changed.storage)
    }
    return { post, pre }
  }

  #changes(address: Address, before: AccountBefore) {
    const state = this.#state
    const bytes = hexToBytes(address)
    const post: Record<string, unknown> = {}
    const balanceWei = state.balance(bytes)
    if (balanceWei !== before.balanceWei) post.balance = formatQuantity(balanceWei)
    const codeHash = bytesToHex(state.codeHash(bytes)) as Hash
    if (codeHash !== before.codeHash) {
      post.codeHash = codeHash
      if (this.#options.withCode) post.code = formatData(state.code(bytes))
    }
    const nonce = state.nonce(bytes)
    const nonceChanged = nonce !== before.nonce
    if (nonceChanged && nonce > 0n) post.nonce = Number(nonce)
    const kept = new Map<Hash, Hash>()
    const storage: Record<string, unknown> = {}
    let slotsChanged = false
    for (const [slot, value] of before.storage) {
      const now = bytesToHex(state.storage(bytes, hexToBytes(slot)))
      if (now === value) continue
      slotsChanged = true
      if (value !== ZERO) kept.set(slot, value)
      if (now !== ZERO) storage[slot] = now
    }
    if (Object.keys(storage).length > 0) post.storage = storage
    return Object.keys(post).length > 0 || nonceChanged || slotsChanged ? { post, storage: kept } : null
  }

  #toJson(account: AccountBefore, storage: ReadonlyMap<Hash, Hash>): unknown {
    return {
      balance: formatQuantity(account.balanceWei),
      ...(this.#options.withCode && account.code.length > 0 ? { code: formatData(account.code) } : {}),
      ...(account.codeHash === EMPTY_CODE_HASH || account.code.length === 0 ? {} : { codeHash: account.codeHash }),
      ...(account.nonce === 0n ? {} : { nonce: Number(account.nonce) }),
      ...(storage.size === 0 ? {} : { storage: Object.fromEntries(storage) }),
    }
  }
}

function isEmpty(account: AccountBefore): boolean {
  return account.nonce === 0n && account.balanceWei === 0n && account.code.length === 0
}
