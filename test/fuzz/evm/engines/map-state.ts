import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import { Account, type Address, bytesToHex, KECCAK256_NULL } from '@ethereumjs/util'
import { keccak256 } from '@keelson/primitives'
import { UndoLog } from '../../../../packages/second-opinion/src/undo-log.ts'
import type { StateAccount } from '../outcome.ts'

type Slots = Map<string, Uint8Array>
interface Fields {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
}

const EMPTY = new Uint8Array(0)
/** EIP-7610 asks only whether there is storage. */
const SOME_STORAGE_ROOT = new Uint8Array(32).fill(0xff)

export class MapState implements StateManagerInterface {
  readonly originalStorageCache = {
    get: async (address: Address, slot: Uint8Array) => this.#original(address, slot),
    clear: () => this.#originals.clear(),
  }
  readonly #accounts = new Map<string, Fields>()
  readonly #storage = new Map<string, Slots>()
  readonly #codes = new Map<string, Uint8Array>()
  readonly #originals = new Map<string, Uint8Array>()
  readonly #undo = new UndoLog()

  accounts(): Map<string, StateAccount> {
    const out = new Map<string, StateAccount>()
    for (const [address, fields] of this.#accounts) {
      if (fields === null) continue
      const slots = new Map([...(this.#storage.get(address) ?? [])].map(([slot, value]) => [slot, bytesToHex(padded(value)) as string]))
      for (const [slot, value] of slots) if (BigInt(value) === 0n) slots.delete(slot)
      out.set(address, { nonce: fields.nonce, balanceWei: fields.balance, codeHash: bytesToHex(fields.codeHash), slots })
    }
    return out
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const hex = address.toString()
    const fields = this.#accounts.get(hex)
    if (fields === undefined || fields === null) return undefined
    const account = new Account(fields.nonce, fields.balance)
    account.codeHash = fields.codeHash
    if ([...(this.#storage.get(hex)?.values() ?? [])].some((value) => value.some((byte) => byte !== 0))) {
      account.storageRoot = SOME_STORAGE_ROOT
    }
    return account
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    if (account === undefined) return this.deleteAccount(address)
    const { nonce, balance, codeHash } = account
    this.#undo.set(this.#accounts, address.toString(), { nonce, balance, codeHash })
  }

  async deleteAccount(address: Address): Promise<void> {
    this.#undo.set(this.#accounts, address.toString(), null as unknown as Fields)
    await this.clearStorage(address)
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const account = (await this.getAccount(address)) ?? new Account()
    if (fields.nonce !== undefined) account.nonce = fields.nonce
    if (fields.balance !== undefined) account.balance = fields.balance
    if (fields.codeHash !== undefined) account.codeHash = fields.codeHash
    await this.putAccount(address, account)
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const codeHash = code.length === 0 ? KECCAK256_NULL : keccak256(code)
    this.#codes.set(bytesToHex(codeHash), code)
    await this.modifyAccountFields(address, { codeHash })
  }

  async getCode(address: Address): Promise<Uint8Array> {
    const fields = this.#accounts.get(address.toString())
    return fields === undefined || fields === null ? EMPTY : (this.#codes.get(bytesToHex(fields.codeHash)) ?? EMPTY)
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length
  }

  /** Without leading zeros. */
  async getStorage(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    const value = this.#storage.get(address.toString())?.get(bytesToHex(slot)) ?? EMPTY
    const first = value.findIndex((byte) => byte !== 0)
    return first === -1 ? EMPTY : value.slice(first)
  }

  async putStorage(address: Address, slot: Uint8Array, value: Uint8Array): Promise<void> {
    const slots: Slots = this.#storage.get(address.toString()) ?? new Map()
    this.#storage.set(address.toString(), slots)
    this.#undo.set(slots, bytesToHex(slot) as string, value)
  }

  async clearStorage(address: Address): Promise<void> {
    this.#undo.set(this.#storage, address.toString(), new Map())
  }

  async checkpoint(): Promise<void> {
    this.#undo.checkpoint()
  }

  async commit(): Promise<void> {
    this.#undo.commit()
  }

  async revert(): Promise<void> {
    this.#undo.revert()
  }

  async getStateRoot(): Promise<Uint8Array> {
    return new Uint8Array(32)
  }

  async setStateRoot(): Promise<void> {
    throw new Error('a fuzz case has one state')
  }

  async hasStateRoot(): Promise<boolean> {
    return true
  }

  clearCaches(): void {
    this.#originals.clear()
  }

  shallowCopy(): StateManagerInterface {
    throw new Error('a fuzz case has one state')
  }

  async #original(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    const key = `${address}${bytesToHex(slot)}`
    const value = this.#originals.get(key) ?? (await this.getStorage(address, slot))
    this.#originals.set(key, value)
    return value
  }
}

function padded(value: Uint8Array): Uint8Array {
  const out = new Uint8Array(32)
  out.set(value, 32 - value.length)
  return out
}
