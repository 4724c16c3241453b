import type { BlockRules } from '@keelson/chainspec'
import {
  type AccessList,
  type Bytes20,
  bytesToHex,
  EMPTY_BYTES,
  EMPTY_CODE_HASH_BYTES,
  equalBytes,
  type Log,
  type StateDiff,
} from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import { AccessSets } from '../journal/access-sets.ts'
import { keyBytes } from '../journal/byte-key.ts'
import { Journal } from '../journal/journal.ts'
import { JournaledState } from '../journal/journaled-state.ts'
import type { BlockEnv, BlockSession, CallResult, Message, SessionOptions, StateView, TransactionEnv } from '../ports.ts'
import { CallHost, type PrecompileIds } from './call-host.ts'
import { CallTracer, reportsFor } from './call-tracer.ts'
import { type ContextOwner, writeBlock, writeMessage, writeTransaction } from './context.ts'
import type { CoreInstance } from './core-instance.ts'
import { BALANCE_TEXT } from './halt-text.ts'
import { type LiveAccount, LiveState } from './live-state.ts'
import { movePrecompiles, precompileKeys } from './precompile-ids.ts'
import { readResult } from './read-result.ts'
import { recordReads } from './record-reads.ts'
import { UnreadCall } from './unread-call.ts'
import { writeState, writeTouches } from './write-back.ts'

export interface CoreLender {
  use<T>(call: (core: CoreInstance) => T): T
}

export class WasmSession implements BlockSession, ContextOwner {
  readonly env: BlockEnv
  readonly rules: BlockRules
  readonly unlimitedCodeSize: boolean
  readonly #lender: CoreLender
  readonly #options: SessionOptions
  readonly #journal = new Journal()
  readonly #state: JournaledState
  readonly #access: AccessSets
  readonly #precompiles: PrecompileIds
  readonly #created = new Set<string>()
  readonly #destroyed = new Set<string>()
  #tx: TransactionEnv | null = null
  #logs: Log[] = []
  #unread: UnreadCall | null = null
  #unmask: (() => void) | null = null
  #live: LiveState | null = null

  readonly #readCall = (): void => {
    const unread = this.#unread
    if (unread === null) return
    this.#unread = null
    unread.addAccesses(this.#access)
    for (const log of unread.logs()) this.#logs.push(log)
  }

  constructor(view: StateView, env: BlockEnv, rules: BlockRules, lender: CoreLender, precompiles: PrecompileIds, options: SessionOptions) {
    this.env = env
    this.rules = rules
    this.unlimitedCodeSize = options.unlimitedCodeSize === true
    this.#lender = lender
    this.#options = options
    this.#state = new JournaledState(view, this.#journal)
    this.#access = new AccessSets(this.#journal, precompileKeys(precompiles))
    this.#precompiles = movePrecompiles(precompiles, options.precompileChanges)
  }

  exists(address: Bytes20): boolean {
    return this.#account(address).exists
  }

  balance(address: Bytes20): bigint {
    return this.#account(address).balanceWei
  }

  addBalance(address: Bytes20, wei: bigint): void {
    this.setBalance(address, this.balance(address) + wei)
  }

  subBalance(address: Bytes20, wei: bigint): void {
    const balanceWei = this.balance(address)
    if (balanceWei < wei) {
      throw new EvmError('evm/balance-underflow', `${bytesToHex(address)} has ${balanceWei} wei, cannot pay ${wei}`)
    }
    this.setBalance(address, balanceWei - wei)
  }

  setBalance(address: Bytes20, wei: bigint): void {
    const entry = this.#state.entry(address)
    this.#state.write(entry, entry.nonce, wei, entry.codeHash)
  }

  nonce(address: Bytes20): bigint {
    return this.#account(address).nonce
  }

  setNonce(address: Bytes20, nonce: bigint): void {
    const entry = this.#state.entry(address)
    this.#state.write(entry, nonce, entry.balanceWei, entry.codeHash)
  }

  code(address: Bytes20): Uint8Array {
    if (this.#state.recordsCodes) this.#state.recordCode(this.#state.entry(address))
    return this.#state.codeOfHash(this.#account(address).codeHash)
  }

  codeHash(address: Bytes20): Uint8Array {
    return this.#account(address).codeHash
  }

  setCode(address: Bytes20, code: Uint8Array): void {
    this.#state.setCode(this.#state.entry(address), code)
  }

  storage(address: Bytes20, slot: Uint8Array): Uint8Array {
    return this.#live?.slot(address, slot) ?? this.#state.slot(this.#state.entry(address), slot)
  }

  setStorage(address: Bytes20, slot: Uint8Array, value: Uint8Array): void {
    this.#state.setSlot(this.#state.entry(address), slot, value)
  }

  clearStorage(address: Bytes20): void {
    this.#state.clearStorage(this.#state.entry(address))
  }

  checkpoint(): number {
    this.#readCall()
    return this.#journal.checkpoint()
  }

  revertTo(checkpoint: number): void {
    this.#readCall()
    this.#journal.revertTo(checkpoint)
  }

  beginTx(tx: TransactionEnv): void {
    if (this.#tx !== null) throw new EvmError('evm/misuse', 'beginTx was called while a transaction was running; expected endTx first')
    this.#tx = tx
    if (tx.system === true) this.#unmask = this.#state.mask(tx.origin)
    for (const address of tx.warmAddresses) this.#access.warmForFree(address)
    this.#access.warmList(tx.accessList)
  }

  warm(address: Bytes20): void {
    this.#access.warmForFree(address)
  }

  call(message: Message): CallResult {
    const tx = this.#tx
    if (tx === null) throw new EvmError('evm/misuse', 'call needs a running transaction; expected beginTx first')
    if (message.valueWei > this.balance(message.from)) {
      return { status: 'halt', gasLeft: message.gas, output: EMPTY_BYTES, created: null, gasRefund: 0n, error: BALANCE_TEXT }
    }
    this.#readCall()
    return this.#transfer(message) ?? this.#lender.use((core) => this.#run(core, message, tx))
  }

  logs(): readonly Log[] {
    this.#readCall()
    return this.#logs
  }

  endTx() {
    for (const log of this.#unread?.logs() ?? []) this.#logs.push(log)
    const finished = { logs: this.#logs, selfDestructs: [...this.#destroyed].map(keyBytes) }
    for (const address of finished.selfDestructs) this.#state.destroy(this.#state.entry(address))
    this.#state.finishTransaction(this.rules.clearsEmptyAccounts)
    this.#unmask?.()
    this.#unmask = null
    this.#journal.clear()
    this.#access.clear()
    this.#unread = null
    this.#tx = null
    this.#logs = []
    this.#created.clear()
    this.#destroyed.clear()
    return finished
  }

  abandonTx(): void {
    this.#unread = null
    this.#journal.revertTo(0)
    this.#logs = []
    this.#destroyed.clear()
    this.endTx()
  }

  accessed(): AccessList {
    this.#readCall()
    return this.#access.accessList()
  }

  takeDiff(): StateDiff {
    return this.#state.diff()
  }

  /** Null when the call needs an instance. */
  #transfer({ kind, from, to, valueWei, gas }: Message): CallResult | null {
    if (kind !== 'call' || to === null || reportsFor(this.#options.tracer ?? null) !== 0) return null
    const entry = this.#state.entry(to)
    if (this.#precompiles.ids.has(entry.key) || !equalBytes(entry.codeHash, EMPTY_CODE_HASH_BYTES)) return null
    if (valueWei > 0n) {
      this.subBalance(from, valueWei)
      this.addBalance(to, valueWei)
    } else if (this.rules.clearsEmptyAccounts) this.#state.touch(entry)
    else this.addBalance(to, 0n)
    return { status: 'success', gasLeft: gas, output: EMPTY_BYTES, created: null, gasRefund: 0n, error: null }
  }

  #account(address: Bytes20): LiveAccount {
    return this.#live?.account(address) ?? this.#state.entry(address)
  }

  #run(core: CoreInstance, message: Message, tx: TransactionEnv): CallResult {
    const { tracer = null } = this.#options
    const poll = () => this.#poll()
    const host = new CallHost(core, {
      state: this.#state,
      access: this.#access,
      env: this.env,
      precompiles: this.#precompiles,
      created: this.#created,
      tracer: tracer === null ? null : new CallTracer(core, tracer, this.rules, poll),
      poll,
    })
    if (core.configuredFor !== this) {
      writeBlock(core, this)
      core.configuredFor = this
    }
    core.hotCode?.begin()
    writeTransaction(core, tx, this.#access.hasSlots, reportsFor(tracer))
    writeMessage(core, message)
    this.#live = tracer === null ? null : new LiveState(core)
    try {
      core.execute(host)
    } finally {
      this.#live = null
    }
    core.hotCode?.end()
    if (this.#state.recordsCodes) recordReads(core, host, this.#state)
    const result = readResult(core, message, this.rules.ethFork)
    const succeeded = result.status === 'success'
    this.#unread = new UnreadCall(core, succeeded)
    core.beforeNextCall = this.#readCall
    if (succeeded) {
      writeState(core, host, this.#state, { created: this.#created, destroyed: this.#destroyed })
    } else writeTouches(core, host, this.#state)
    return result
  }

  #poll(): void {
    if (this.#options.tracer?.stop?.() === true) throw new EvmError('evm/interrupted', 'the call was stopped before it ended')
  }
}
