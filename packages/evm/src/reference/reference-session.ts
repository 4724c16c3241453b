/** Our journal with the interpreter of @ethereumjs/evm. */
import type { Log as EngineLog, EVM } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { type BlockRules, ethParameters } from '@keelson/chainspec'
import { type Bytes20, bytesToHex, EMPTY_BYTES, type Hash, hexToBytes, type Log, toAddress } from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import type { BlockEnv, BlockSession, CallResult, Message, PrecompileChanges, SessionOptions, StateView, TransactionEnv } from '../ports.ts'
import { AccessSets } from './access-sets.ts'
import { callStatus } from './call-status.ts'
import { createEvmAdapters } from './evm-adapters.ts'
import type { EvmPool } from './evm-pool.ts'
import { BALANCE_TEXT, haltText } from './halt-text.ts'
import { bytesKey, Journal } from './journal.ts'
import { JournaledState } from './journaled-state.ts'
import { attachTracer } from './trace-bridge.ts'

const UNKNOWN_HASH = new Uint8Array(32)
const UNTRACED = { last: null, creating: false, storeNeedsStipend: false }

export function createReferenceSession(
  view: StateView,
  env: BlockEnv,
  rules: BlockRules,
  pool: EvmPool,
  options: SessionOptions,
): BlockSession {
  const journal = new Journal()
  const state = new JournaledState(view, journal)
  const access = new AccessSets(journal, pool.precompileKeys)
  const adapters = createEvmAdapters(state, access, journal)
  const { destroysOnlyNewContracts } = ethParameters(rules.ethFork)
  const unlimited = options.unlimitedCodeSize === true
  const engineBlock = createEngineBlock(env)
  const blockchain = { getBlock: (number: number) => ({ hash: () => env.blockHash(BigInt(number)) ?? UNKNOWN_HASH }) }
  let tx: TransactionEnv | null = null
  let logs: Log[] = []
  let destroyed: string[] = []
  let unmask: (() => void) | null = null

  const bind = (evm: EVM): EVM => {
    evm.stateManager = adapters.stateManager
    evm.journal = adapters.journal
    evm.blockchain = blockchain as unknown as EVM['blockchain']
    ;(evm as { transientStorage: EVM['transientStorage'] }).transientStorage = adapters.transientStorage
    return evm
  }
  const update = (address: Bytes20, change: { nonce?: bigint; balanceWei?: bigint }) => {
    const entry = state.entry(address)
    state.write(entry, change.nonce ?? entry.nonce, change.balanceWei ?? entry.balanceWei, entry.codeHash)
  }

  async function run(message: Message, running: TransactionEnv): Promise<CallResult> {
    const evm = bind(pool.acquire(unlimited))
    const tracer = options.tracer ?? null
    const balances = { balance: (address: Bytes20) => state.entry(address).balanceWei }
    const restore = changePrecompiles(evm, options.precompileChanges)
    const detach = tracer === null ? null : attachTracer(evm, tracer, balances)
    const { execResult, createdAddress } = await evm.runCall({
      block: engineBlock,
      caller: new Address(message.from),
      origin: new Address(running.origin),
      gasPrice: running.gasPriceWei,
      gasLimit: message.gas,
      value: message.valueWei,
      data: message.data,
      skipNonceIncrement: true,
      blobVersionedHashes: running.blobVersionedHashes.map(bytesToHex),
      ...(message.to === null ? {} : { to: new Address(message.to) }),
    })
    detach?.()
    restore?.()
    const stated = callStatus(execResult, evm.common.hardfork())
    // The library reports some failed precompiles as reverted.
    const status = stated === 'revert' && message.to !== null && pool.precompileKeys.has(bytesKey(message.to)) ? 'halt' : stated
    pool.release(evm, unlimited)
    if (status === 'success') {
      for (const log of execResult.logs ?? []) logs.push(decodeLog(log))
      for (const hex of execResult.selfdestruct?.keys() ?? []) {
        if (!destroysOnlyNewContracts || execResult.createdAddresses?.has(hex)) destroyed.push(hex)
      }
    }
    return {
      status,
      gasLeft: message.gas - execResult.executionGasUsed,
      output: execResult.returnValue,
      created: message.kind === 'create' && status === 'success' ? (createdAddress?.bytes ?? null) : null,
      gasRefund: status === 'success' ? (execResult.gasRefund ?? 0n) : 0n,
      error: status === 'success' ? null : haltText(execResult.exceptionError?.error ?? '', UNTRACED),
    }
  }

  function endTx() {
    const finished = { logs, selfDestructs: destroyed.map(hexToBytes) }
    for (const address of finished.selfDestructs) state.destroy(state.entry(address))
    state.finishTransaction(rules.clearsEmptyAccounts)
    unmask?.()
    unmask = null
    journal.clear()
    access.clear()
    tx = null
    logs = []
    destroyed = []
    return finished
  }

  return {
    env,
    exists: (address) => state.entry(address).exists,
    balance: (address) => state.entry(address).balanceWei,
    addBalance: (address, wei) => update(address, { balanceWei: state.entry(address).balanceWei + wei }),
    subBalance(address, wei) {
      const { balanceWei } = state.entry(address)
      if (balanceWei < wei) {
        throw new EvmError('evm/balance-underflow', `${bytesToHex(address)} has ${balanceWei} wei, cannot pay ${wei}`)
      }
      update(address, { balanceWei: balanceWei - wei })
    },
    setBalance: (address, wei) => update(address, { balanceWei: wei }),
    nonce: (address) => state.entry(address).nonce,
    setNonce: (address, nonce) => update(address, { nonce }),
    code: (address) => state.code(state.entry(address)),
    codeHash: (address) => state.entry(address).codeHash,
    setCode: (address, code) => state.setCode(state.entry(address), code),
    storage: (address, slot) => state.slot(state.entry(address), slot),
    setStorage: (address, slot, value) => state.setSlot(state.entry(address), slot, value),
    clearStorage: (address) => state.clearStorage(state.entry(address)),
    checkpoint: () => journal.checkpoint(),
    revertTo: (checkpoint) => journal.revertTo(checkpoint),
    beginTx(running) {
      if (tx !== null) throw new EvmError('evm/misuse', 'beginTx was called while a transaction was running; expected endTx first')
      tx = running
      if (running.system === true) unmask = state.mask(running.origin)
      for (const address of running.warmAddresses) access.warmForFree(address)
      access.warmList(running.accessList)
    },
    warm: (address) => access.warmForFree(address),
    async call(message) {
      if (tx === null) throw new EvmError('evm/misuse', 'call needs a running transaction; expected beginTx first')
      if (message.valueWei > state.entry(message.from).balanceWei) {
        return {
          status: 'halt',
          gasLeft: message.gas,
          output: EMPTY_BYTES,
          created: null,
          gasRefund: 0n,
          error: BALANCE_TEXT,
        }
      }
      return run(message, tx)
    },
    logs: () => logs,
    endTx,
    abandonTx() {
      journal.revertTo(0)
      logs = []
      destroyed = []
      endTx()
    },
    accessed: () => access.accessList(),
    takeDiff: () => state.diff(),
  }
}

/** The changes apply until the returned function runs. */
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
