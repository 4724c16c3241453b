/**
 * Tries change once, after the last transaction, because a witness holds only nodes that the block's net change touches. The
 * library's state manager writes each slot at once.
 */
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import { RLP } from '@ethereumjs/rlp'
import { type Account, type Address, bytesToHex, hexToBytes, KECCAK256_NULL, KECCAK256_RLP, type PrefixedHexString } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { type AccountRecord, accountOf, decodeAccount, encodeAccount, recordOf } from './account-record.ts'
import { incompleteWitness, SecondOpinionError } from './errors.ts'
import { UndoLog } from './undo-log.ts'
import type { WitnessNodes, WitnessTrie } from './witness-trie.ts'

type AddressHex = PrefixedHexString
type Slots = Map<PrefixedHexString, Uint8Array>

const EMPTY = new Uint8Array(0)

export class WitnessState implements StateManagerInterface {
  readonly originalStorageCache = {
    get: (address: Address, slot: Uint8Array) => this.#original(address, slot),
    clear: () => this.#originals.clear(),
  }
  readonly #nodes: WitnessNodes
  readonly #accountTrie: WitnessTrie
  readonly #codes: Map<string, Uint8Array>
  readonly #accounts = new Map<AddressHex, AccountRecord | null>()
  readonly #parents = new Map<AddressHex, AccountRecord | null>()
  /** An empty value is a deleted slot. */
  readonly #storage = new Map<AddressHex, Slots>()
  /** Accounts whose storage in the parent state was deleted. */
  readonly #cleared = new Map<AddressHex, boolean>()
  readonly #storageTries = new Map<AddressHex, WitnessTrie>()
  readonly #originals = new Map<string, Uint8Array>()
  readonly #undo = new UndoLog()
  #ignored: Address | null = null

  private constructor(nodes: WitnessNodes, accountTrie: WitnessTrie, codes: ReadonlyMap<string, Uint8Array>) {
    this.#nodes = nodes
    this.#accountTrie = accountTrie
    this.#codes = new Map(codes)
  }

  static async open(nodes: WitnessNodes, codes: ReadonlyMap<string, Uint8Array>, stateRoot: Uint8Array): Promise<WitnessState> {
    return new WitnessState(nodes, await nodes.open(stateRoot), codes)
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const record = await this.#account(address)
    return record === null ? undefined : accountOf(record)
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    if (account === undefined) return this.deleteAccount(address)
    if (this.#isIgnored(address)) return
    await this.#account(address)
    this.#undo.set(this.#accounts, address.toString(), recordOf(account))
  }

  async deleteAccount(address: Address): Promise<void> {
    if (this.#isIgnored(address)) return
    await this.#account(address)
    this.#undo.set(this.#accounts, address.toString(), null)
    await this.clearStorage(address)
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const account = (await this.getAccount(address)) ?? accountOf(EMPTY_ACCOUNT)
    if (fields.nonce !== undefined) account.nonce = fields.nonce
    if (fields.balance !== undefined) account.balance = fields.balance
    if (fields.codeHash !== undefined) account.codeHash = fields.codeHash
    await this.putAccount(address, account)
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const codeHash = code.length === 0 ? KECCAK256_NULL : keccak_256(code)
    this.#codes.set(bytesToHex(codeHash), code)
    await this.modifyAccountFields(address, { codeHash })
  }

  async getCode(address: Address): Promise<Uint8Array> {
    const record = await this.#account(address)
    const hash = bytesToHex(record?.codeHash ?? KECCAK256_NULL)
    if (hash === bytesToHex(KECCAK256_NULL)) return EMPTY
    const code = this.#codes.get(hash)
    if (code === undefined) throw incompleteWitness(`the witness lacks the code ${hash} of ${address}`)
    return code
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length
  }

  /** Returns the value without leading zeros. */
  async getStorage(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    const hex = address.toString()
    const changed = this.#storage.get(hex)?.get(bytesToHex(slot))
    if (changed !== undefined) return changed
    if (this.#cleared.get(hex) === true) return EMPTY
    const leaf = await (await this.#storageTrie(address)).get(slot)
    return leaf === null ? EMPTY : (RLP.decode(leaf) as Uint8Array)
  }

  async putStorage(address: Address, slot: Uint8Array, value: Uint8Array): Promise<void> {
    const significant = value.findIndex((byte) => byte !== 0)
    const slots: Slots = this.#storage.get(address.toString()) ?? new Map()
    this.#storage.set(address.toString(), slots)
    this.#undo.set(slots, bytesToHex(slot), significant === -1 ? EMPTY : value.slice(significant))
  }

  async clearStorage(address: Address): Promise<void> {
    this.#undo.set(this.#storage, address.toString(), new Map())
    this.#undo.set(this.#cleared, address.toString(), true)
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

  async addBalance(address: Address, wei: bigint): Promise<void> {
    if (wei === 0n) return
    const balance = (await this.#account(address))?.balance ?? 0n
    await this.modifyAccountFields(address, { balance: balance + wei })
  }

  /** Hides the account, because the library reads and writes the caller of a system call, which a witness need not hold. */
  async ignoring(address: Address, calls: () => Promise<void>): Promise<void> {
    this.ignore(address)
    try {
      await calls()
    } finally {
      this.ignore(null)
    }
  }

  ignore(address: Address | null): void {
    this.#ignored = address
  }

  /** Insertions come before deletions, which could otherwise merge nodes that the net change leaves alone. */
  async getStateRoot(): Promise<Uint8Array> {
    const trie = await this.#nodes.open(this.#accountTrie.root)
    const deleted: Uint8Array[] = []
    for (const [hex, record] of this.#changedAccounts()) {
      const address = hexToBytes(hex)
      if (record === null) deleted.push(address)
      else await trie.put(address, encodeAccount(record, await this.storageRoot(hex)))
    }
    for (const address of deleted) await trie.delete(address)
    return trie.root
  }

  /** The library writes the storage of some system contracts without their accounts. */
  #changedAccounts(): Map<AddressHex, AccountRecord | null> {
    const changed = new Map(this.#accounts)
    for (const [hex, slots] of this.#storage) {
      const parent = this.#parents.get(hex)
      if (slots.size > 0 && parent !== undefined && !changed.has(hex)) changed.set(hex, parent)
    }
    return changed
  }

  /** The account must have been read. */
  async storageRoot(hex: AddressHex): Promise<Uint8Array> {
    const parent = this.#parents.get(hex) ?? EMPTY_ACCOUNT
    const base = this.#cleared.get(hex) === true ? KECCAK256_RLP : parent.storageRoot
    const slots = this.#storage.get(hex)
    if (slots === undefined || slots.size === 0) return base
    const trie = await this.#nodes.open(base)
    for (const [slot, value] of slots) if (value.length > 0) await trie.put(hexToBytes(slot), RLP.encode(value))
    for (const [slot, value] of slots) if (value.length === 0) await trie.delete(hexToBytes(slot))
    return trie.root
  }

  clearCaches(): void {
    this.#originals.clear()
  }

  async setStateRoot(): Promise<void> {
    throw misuse('setStateRoot')
  }

  async hasStateRoot(): Promise<boolean> {
    throw misuse('hasStateRoot')
  }

  shallowCopy(): StateManagerInterface {
    throw misuse('shallowCopy')
  }

  #isIgnored(address: Address): boolean {
    return this.#ignored?.equals(address) === true
  }

  async #account(address: Address): Promise<AccountRecord | null> {
    if (this.#isIgnored(address)) return null
    const hex = address.toString()
    const known = this.#accounts.get(hex)
    if (known !== undefined) return known
    const parent = this.#parents.get(hex)
    if (parent !== undefined) return parent
    const leaf = await this.#accountTrie.get(address.bytes)
    const record = leaf === null ? null : decodeAccount(leaf)
    this.#parents.set(hex, record)
    return record
  }

  async #storageTrie(address: Address): Promise<WitnessTrie> {
    const hex = address.toString()
    await this.#account(address)
    const { storageRoot } = this.#parents.get(hex) ?? EMPTY_ACCOUNT
    const trie = this.#storageTries.get(hex) ?? (await this.#nodes.open(storageRoot))
    this.#storageTries.set(hex, trie)
    return trie
  }

  /** Value at the start of the transaction (EIP-2200). */
  async #original(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    const key = `${address}${bytesToHex(slot)}`
    const value = this.#originals.get(key) ?? (await this.getStorage(address, slot))
    this.#originals.set(key, value)
    return value
  }
}

const EMPTY_ACCOUNT: AccountRecord = { nonce: 0n, balance: 0n, storageRoot: KECCAK256_RLP, codeHash: KECCAK256_NULL }

function misuse(method: string): SecondOpinionError {
  return new SecondOpinionError('second-opinion/misuse', `the EVM called ${method}, which execution from a witness does not support`)
}
