import { EMPTY_TRIE_ROOT_BYTES, equalBytes } from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import type { AccessSets } from '../journal/access-sets.ts'
import { type AccountEntry, type JournaledState, ZERO_WORD } from '../journal/journaled-state.ts'
import type { BlockEnv } from '../ports.ts'
import type { Precompile } from '../precompiles/precompile.ts'
import type { CallTracer } from './call-tracer.ts'
import type { CoreHost, CoreInstance } from './core-instance.ts'
import {
  ACCOUNT_ADDRESS,
  ACCOUNT_BALANCE,
  ACCOUNT_BYTES,
  ACCOUNT_CODE_HASH,
  ACCOUNT_CREATED,
  ACCOUNT_EXISTS,
  ACCOUNT_FLAGS,
  ACCOUNT_HAS_STORAGE,
  ACCOUNT_LOADED,
  ACCOUNT_NONCE,
  ACCOUNT_PRECOMPILE,
  ACCOUNT_WARM,
  ACCOUNTS,
  CODE_BYTES,
  RETURN_DATA,
  RETURN_DATA_BYTES,
  SLOT_ACCOUNT,
  SLOT_FLAGS,
  SLOT_KEY,
  SLOT_LOADED,
  SLOT_ORIGINAL,
  SLOT_TRANSIENT,
  SLOT_VALUE,
  SLOT_WARM,
} from './layout.ts'
import type { CoreMemory } from './memory.ts'

export interface CallParts {
  readonly state: JournaledState
  readonly access: AccessSets
  readonly env: BlockEnv
  readonly precompiles: PrecompileIds
  readonly created: ReadonlySet<string>
  readonly tracer: CallTracer | null
  poll(): void
}

export interface PrecompileIds {
  /** Address before any move, by `bytesKey` of the address after it. */
  readonly ids: ReadonlyMap<string, number>
  readonly precompiles: ReadonlyMap<number, Precompile>
}

const LIMITS = ['', 'accounts', 'storage slots', 'changes', 'logs', 'codes', 'return data', 'call data']

export class CallHost implements CoreHost {
  readonly #parts: CallParts
  readonly #core: CoreInstance
  readonly #memory: CoreMemory
  readonly #entries: (AccountEntry | undefined)[] = []

  constructor(core: CoreInstance, parts: CallParts) {
    this.#core = core
    this.#memory = core.memory
    this.#parts = parts
  }

  entryAt(account: number): AccountEntry {
    const index = (account - ACCOUNTS) / ACCOUNT_BYTES
    let entry = this.#entries[index]
    if (entry === undefined) {
      entry = this.#parts.state.entryOf(this.#memory.addressKey(account + ACCOUNT_ADDRESS))
      this.#entries[index] = entry
    }
    return entry
  }

  openAccount(account: number): void {
    const { access, precompiles, created } = this.#parts
    const key = this.#memory.addressKey(account + ACCOUNT_ADDRESS)
    let flags = access.knowsWarm(key) ? ACCOUNT_WARM : 0
    if (created.has(key)) flags |= ACCOUNT_CREATED
    this.#memory.setU32(account + ACCOUNT_FLAGS, flags)
    this.#memory.setU32(account + ACCOUNT_PRECOMPILE, precompiles.ids.get(key) ?? 0)
  }

  loadAccount(account: number): void {
    const entry = this.entryAt(account)
    const memory = this.#memory
    const { state } = this.#parts
    memory.setNumber(account + ACCOUNT_BALANCE, entry.balanceWei)
    memory.setU64(account + ACCOUNT_NONCE, entry.nonce)
    memory.setWord(account + ACCOUNT_CODE_HASH, entry.codeHash)
    let flags = memory.u32(account + ACCOUNT_FLAGS) | ACCOUNT_LOADED
    if (entry.exists) flags |= ACCOUNT_EXISTS
    if (!equalBytes(state.storageRoot(entry), EMPTY_TRIE_ROOT_BYTES)) flags |= ACCOUNT_HAS_STORAGE
    memory.setU32(account + ACCOUNT_FLAGS, flags)
  }

  openSlot(slot: number): void {
    const memory = this.#memory
    const { access } = this.#parts
    const key = memory.addressKey(memory.u32(slot + SLOT_ACCOUNT) + ACCOUNT_ADDRESS) + memory.wordKey(slot + SLOT_KEY)
    const flags = memory.u32(slot + SLOT_FLAGS)
    if ((flags & SLOT_TRANSIENT) !== 0) {
      const value = access.transient(key)
      if (value !== undefined) memory.setWord(slot + SLOT_VALUE, value)
    } else if (access.knowsWarmSlot(key)) memory.setU32(slot + SLOT_FLAGS, flags | SLOT_WARM)
  }

  loadSlot(slot: number): void {
    const memory = this.#memory
    const { state } = this.#parts
    const entry = this.entryAt(memory.u32(slot + SLOT_ACCOUNT))
    const key = memory.wordKey(slot + SLOT_KEY)
    const value = state.slotOf(entry, key)
    const original = entry.originals === null ? value : state.originalSlotOf(entry, key)
    // A new slot is zero.
    if (value !== ZERO_WORD) memory.setWord(slot + SLOT_VALUE, value)
    if (original !== ZERO_WORD) memory.setWord(slot + SLOT_ORIGINAL, original)
    memory.setU32(slot + SLOT_FLAGS, memory.u32(slot + SLOT_FLAGS) | SLOT_LOADED)
  }

  loadCode(account: number): number {
    const memory = this.#memory
    const code = this.#parts.state.codeOfKey(memory.wordKey(account + ACCOUNT_CODE_HASH))
    const record = this.#core.exports.allocateCode(account + ACCOUNT_CODE_HASH, code.length)
    memory.bytes.set(code, memory.u32(record + CODE_BYTES))
    this.#core.exports.sealCode(record)
    this.#core.hotCode?.loaded(record)
    return record
  }

  keepCode(hash: number, code: number, length: number): void {
    this.#parts.state.keepCode(this.#memory.word(hash), this.#memory.copy(code, length))
  }

  blockHash(number: bigint, out: number): number {
    const hash = this.#parts.env.blockHash(BigInt.asUintN(64, number))
    if (hash === null) return 0
    this.#memory.bytes.set(hash, out)
    return 1
  }

  precompile(id: number, input: number, length: number, gas: bigint, lengthOut: number): bigint {
    const memory = this.#memory
    const precompile = this.#parts.precompiles.precompiles.get(id) as Precompile
    const data = memory.bytes.subarray(input, input + length)
    const price = precompile.gas(data)
    if (price > gas) return -1n
    const output = precompile.run(data)
    if (output === null) {
      const refused = data.slice()
      this.#core.precompileFailure = () => precompile.failure?.(refused) ?? 'precompiled failed'
      return -2n
    }
    if (output.length > RETURN_DATA_BYTES) this.limit(6)
    memory.bytes.set(output, RETURN_DATA)
    memory.setU32(lengthOut, output.length)
    return price
  }

  poll(): void {
    this.#parts.poll()
  }

  limit(what: number): void {
    throw new EvmError('evm/limit', `a call used more ${LIMITS[what]} than the engine has room for; give it less gas`, { what })
  }

  traceStep(frame: number, opcode: number, cost: bigint, refund: bigint, failure: number): void {
    this.#parts.tracer?.step(frame, opcode, { cost, refund, failure })
  }

  traceEnter(): void {
    this.#parts.tracer?.enter()
  }

  traceExit(): void {
    this.#parts.tracer?.exit()
  }

  traceLog(log: number): void {
    this.#parts.tracer?.log(log)
  }
}
