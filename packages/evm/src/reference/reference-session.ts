import type { Log as EngineLog, EVM, ExecResult } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { type BlockRules, ethParameters } from '@keelson/chainspec'
import { type Bytes20, bytesToHex, EMPTY_BYTES, type Hash, hexToBytes, type Log, toAddress } from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import { AccessSets } from '../journal/access-sets.ts'
import { bytesKey } from '../journal/byte-key.ts'
import { Journal } from '../journal/journal.ts'
import { JournaledState } from '../journal/journaled-state.ts'
import type { BlockEnv, BlockSession, CallResult, Message, PrecompileChanges, SessionOptions, StateView, TransactionEnv } from '../ports.ts'
import { callStatus } from './call-status.ts'
import { createEvmAdapters, type EvmAdapters } from './evm-adapters.ts'
import type { EvmPool } from './evm-pool.ts'
import { BALANCE_TEXT, haltText } from './halt-text.ts'
import { attachTracer } from './trace-bridge.ts'

const UNKNOWN_HASH = new Uint8Array(32)
const UNTRACED = { last: null, creating: false, storeNeedsStipend: false }

export class ReferenceSession implements BlockSession {
  readonly env: BlockEnv
  readonly #rules: BlockRules
  readonly #pool: EvmPool
  readonly #options: SessionOptions
  readonly #journal = new Journal()
  readonly #state: JournaledState
  readonly #access: AccessSets
  readonly #adapters: EvmAdapters
  readonly #engineBlock: ReturnType<typeof createEngineBlock>
  readonly #blockchain: EVM['blockchain']
  readonly #destroysOnlyNewContracts: boolean
  #tx: TransactionEnv | null = null
  #logs: Log[] = []
  #destroyed: string[] = []
  #unmask: (() => void) | null = null

  constructor(view: StateView, env: BlockEnv, rules: BlockRules, pool: EvmPool, options: SessionOptions) {
    this.env = env
    this.#rules = rules
    this.#pool = pool
    this.#options = options
    this.#state = new JournaledState(view, this.#journal)
    this.#access = new AccessSets(this.#journal, pool.precompileKeys)
    this.#adapters = createEvmAdapters(this.#state, this.#access, this.#journal)
    this.#engineBlock = createEngineBlock(env)
    const blockchain = { getBlock: (number: number) => ({ hash: () => env.blockHash(BigInt(number)) ?? UNKNOWN_HASH }) }
    this.#blockchain = blockchain as unknown as EVM['blockchain']
    this.#destroysOnlyNewContracts = ethParameters(rules.ethFork).destroysOnlyNewContracts
  }

  exists(address: Bytes20): boolean {
    return this.#state.entry(address).exists
  }

  balance(address: Bytes20): bigint {
    return this.#state.entry(address).balanceWei
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
    return this.#state.entry(address).nonce
  }

  setNonce(address: Bytes20, nonce: bigint): void {
    const entry = this.#state.entry(address)
    this.#state.write(entry, nonce, entry.balanceWei, entry.codeHash)
  }

  code(address: Bytes20): Uint8Array {
    return this.#state.code(this.#state.entry(address))
  }

  codeHash(address: Bytes20): Uint8Array {
    return this.#state.entry(address).codeHash
  }

  setCode(address: Bytes20, code: Uint8Array): void {
    this.#state.setCode(this.#state.entry(address), code)
  }

  storage(address: Bytes20, slot: Uint8Array): Uint8Array {
    return this.#state.slot(this.#state.entry(address), slot)
  }

  setStorage(address: Bytes20, slot: Uint8Array, value: Uint8Array): void {
    this.#state.setSlot(this.#state.entry(address), slot, value)
  }

  clearStorage(address: Bytes20): void {
    this.#state.clearStorage(this.#state.entry(address))
  }

  checkpoint(): number {
    return this.#journal.checkpoint()
  }

  revertTo(checkpoint: number): void {
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

  async call(message: Message): Promise<CallResult> {
    if (this.#tx === null) throw new EvmError('evm/misuse', 'call needs a running transaction; expected beginTx first')
    if (message.valueWei > this.balance(message.from)) {
      return { status: 'halt', gasLeft: message.gas, output: EMPTY_BYTES, created: null, gasRefund: 0n, error: BALANCE_TEXT }
    }
    return this.#run(message, this.#tx)
  }

  logs(): readonly Log[] {
    return this.#logs
  }

  endTx() {
    const finished = { logs: this.#logs, selfDestructs: this.#destroyed.map(hexToBytes) }
    for (const address of finished.selfDestructs) this.#state.destroy(this.#state.entry(address))
    this.#state.finishTransaction(this.#rules.clearsEmptyAccounts)
    this.#unmask?.()
    this.#unmask = null
    this.#journal.clear()
    this.#access.clear()
    this.#tx = null
    this.#logs = []
    this.#destroyed = []
    return finished
  }

  abandonTx(): void {
    this.#journal.revertTo(0)
    this.#logs = []
    this.#destroyed = []
    this.endTx()
  }

  accessed() {
    return this.#access.accessList()
  }

  takeDiff() {
    return this.#state.diff()
  }

  async #run(message: Message, tx: TransactionEnv): Promise<CallResult> {
    const unlimited = this.#options.unlimitedCodeSize === true
    const evm = this.#bind(this.#pool.acquire(unlimited))
    const { tracer = null, precompileChanges } = this.#options
    const restore = changePrecompiles(evm, precompileChanges)
    const detach = tracer === null ? null : attachTracer(evm, tracer, this)
    const { execResult, createdAddress } = await evm.runCall({
      block: this.#engineBlock,
      caller: new Address(message.from),
      origin: new Address(tx.origin),
      gasPrice: tx.gasPriceWei,
      gasLimit: message.gas,
      value: message.valueWei,
      data: message.data,
      skipNonceIncrement: true,
      blobVersionedHashes: tx.blobVersionedHashes.map(bytesToHex),
      ...(message.to === null ? {} : { to: new Address(message.to) }),
    })
    detach?.()
    restore?.()
    const stated = callStatus(execResult, evm.common.hardfork())
    // The library reports some failed precompiles as reverted.
    const isPrecompile = message.to !== null && this.#pool.precompileKeys.has(bytesKey(message.to))
    const status = stated === 'revert' && isPrecompile ? 'halt' : stated
    this.#pool.release(evm, unlimited)
    if (status === 'success') this.#keep(execResult)
    return {
      status,
      gasLeft: message.gas - execResult.executionGasUsed,
      output: execResult.returnValue,
      created: message.kind === 'create' && status === 'success' ? (createdAddress?.bytes ?? null) : null,
      gasRefund: status === 'success' ? (execResult.gasRefund ?? 0n) : 0n,
      error: status === 'success' ? null : haltText(execResult.exceptionError?.error ?? '', UNTRACED),
    }
  }

  #keep(result: ExecResult): void {
    for (const log of result.logs ?? []) this.#logs.push(decodeLog(log))
    for (const hex of result.selfdestruct?.keys() ?? []) {
      if (!this.#destroysOnlyNewContracts || result.createdAddresses?.has(hex)) this.#destroyed.push(hex)
    }
  }

  #bind(evm: EVM): EVM {
    evm.stateManager = this.#adapters.stateManager
    evm.journal = this.#adapters.journal
    evm.blockchain = this.#blockchain
    ;(evm as { transientStorage: EVM['transientStorage'] }).transientStorage = this.#adapters.transientStorage
    return evm
  }
}

function changePrecompiles(evm: EVM, changes: PrecompileChanges | undefined): (() => void) | null {
  if (changes === undefined || changes.removed.length + changes.moved.length === 0) return null
  const holder = evm as unknown as { _precompiles: EVM['precompiles'] }
  const before = holder._precompiles
  const after = new Map(before)
  const keyOf = (address: Bytes20) => bytesToHex(address).slice(2)
  for (const address of changes.removed) after.delete(keyOf(address))
  for (const { from, to } of changes.moved) {
    const precompile = before.get(keyOf(from))
    if (precompile !== undefined) after.set(keyOf(to), precompile)
  }
  holder._precompiles = after
  return () => {
    holder._precompiles = before
  }
}

function decodeLog([address, topics, data]: EngineLog): Log {
  return { address: toAddress(address), topics: topics.map((topic) => bytesToHex(topic) as Hash), data }
}

function createEngineBlock(env: BlockEnv) {
  return {
    header: {
      number: env.number,
      coinbase: new Address(env.feeRecipient),
      timestamp: env.timestampSec,
      difficulty: env.difficulty,
      prevRandao: env.prevRandao,
      gasLimit: env.gasLimit,
      baseFeePerGas: env.baseFeeWei,
      slotNumber: 0n,
      getBlobGasPrice: () => env.blobBaseFeeWei,
    },
  }
}
