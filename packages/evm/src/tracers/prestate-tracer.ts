/**
 * prestateTracer. Options: diffMode, disableCode, disableStorage, includeEmpty. Values are recorded at the first access, before
 * any change.
 */
import { ethParameters } from '@keelson/chainspec'
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
import type { TraceStep } from '../tracer.ts'
import { delegationTarget } from '../tx/authorizations.ts'
import { create2Address, createAddress } from '../tx/contract-address.ts'
import { memorySlice, stackAddress, stackWord } from './step-reading.ts'
import type { TraceContext, TracedState, TracerConfig, TransactionTracer } from './transaction-tracer.ts'

interface Noted {
  readonly balanceWei: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly codeHash: Hash
  readonly storage: Map<Hash, Hash>
}

const ACCOUNT_BYTES = 200
const SLOT_BYTES = 140
const ZERO = `0x${'00'.repeat(32)}`

/** Throws for conflicting options. */
export function createPrestateTracer(config: TracerConfig, context: TraceContext): TransactionTracer {
  const { rules, budget } = context
  const eth = ethParameters(rules.ethFork)
  const diffMode = config.diffMode === true
  const withCode = config.disableCode !== true
  const withStorage = config.disableStorage !== true
  if (diffMode && config.includeEmpty === true) throw new Error('cannot use diffMode with includeEmpty')
  const accounts = new Map<Address, Noted>()
  const created = new Set<Address>()
  const deleted = new Set<Address>()
  let state: TracedState | null = null
  let answer: unknown = null

  const note = (bytes: Bytes20): void => {
    const address = toAddress(bytes)
    if (accounts.has(address) || state === null) return
    const code = state.code(bytes)
    budget.spend(ACCOUNT_BYTES + (withCode ? 2 * code.length : 0))
    accounts.set(address, {
      balanceWei: state.balance(bytes),
      nonce: state.nonce(bytes),
      code,
      codeHash: bytesToHex(state.codeHash(bytes)) as Hash,
      storage: new Map(),
    })
  }
  const noteDelegate = (bytes: Bytes20): void => {
    const target = rules.setCodeTransactions && state !== null ? delegationTarget(state.code(bytes)) : null
    if (target !== null) note(hexToBytes(target))
  }
  const noteSlot = (address: Bytes20, slot: Uint8Array): void => {
    const account = accounts.get(toAddress(address))
    const key = bytesToHex(slot) as Hash
    if (!withStorage || account === undefined || account.storage.has(key) || state === null) return
    budget.spend(SLOT_BYTES)
    account.storage.set(key, bytesToHex(state.storage(address, slot)) as Hash)
  }

  const step = (at: TraceStep): void => {
    budget.tick()
    const { stack, address } = at
    switch (at.opcodeName) {
      case 'SLOAD':
      case 'SSTORE':
        if (stack.length >= 1) noteSlot(address, stackWord(stack, 0))
        return
      case 'SELFDESTRUCT':
        if (stack.length < 1) return
        note(stackAddress(stack, 0))
        if (!eth.destroysOnlyNewContracts || created.has(toAddress(address))) deleted.add(toAddress(address))
        return
      case 'EXTCODECOPY':
      case 'EXTCODEHASH':
      case 'EXTCODESIZE':
      case 'BALANCE':
        if (stack.length >= 1) note(stackAddress(stack, 0))
        return
      case 'CALL':
      case 'CALLCODE':
      case 'DELEGATECALL':
      case 'STATICCALL':
        if (stack.length < 5) return
        note(stackAddress(stack, 1))
        noteDelegate(stackAddress(stack, 1))
        return
      case 'CREATE':
        if (state !== null) noteCreation(createAddress(address, state.nonce(address)))
        return
      case 'CREATE2': {
        if (stack.length < 4) return
        const init = memorySlice(at, stack[stack.length - 2] as bigint, stack[stack.length - 3] as bigint)
        if (init !== null) noteCreation(create2Address(address, stackWord(stack, 3), init))
      }
    }
  }
  const noteCreation = (address: Bytes20): void => {
    note(address)
    created.add(toAddress(address))
  }

  return {
    hooks: { step },
    start(tx, at) {
      state = at
      const to = tx.to ?? createAddress(tx.from, tx.nonce)
      if (tx.to === null) created.add(toAddress(to))
      else noteDelegate(to)
      for (const address of [tx.from, to, at.env.feeRecipient, ...tx.authorities]) note(address)
    },
    end() {
      if (state === null) return
      answer = diffMode ? difference(state) : before()
    },
    result: () => answer,
  }

  function before(): unknown {
    const entries = [...accounts].filter(([, account]) => config.includeEmpty === true || !isEmpty(account))
    return Object.fromEntries(entries.map(([address, account]) => [address, accountToJson(account, account.storage)]))
  }

  function difference(after: TracedState): unknown {
    const pre: Record<string, unknown> = {}
    const post: Record<string, unknown> = {}
    for (const [address, account] of accounts) {
      if (deleted.has(address)) {
        if (!isEmpty(account)) pre[address] = accountToJson(account, account.storage)
        continue
      }
      const changed = changes(address, account, after)
      if (changed === null) continue
      post[address] = changed.post
      if (!isEmpty(account)) pre[address] = accountToJson(account, changed.storage)
    }
    return { post, pre }
  }

  function changes(address: Address, was: Noted, after: TracedState) {
    const bytes = hexToBytes(address)
    const post: Record<string, unknown> = {}
    const balanceWei = after.balance(bytes)
    if (balanceWei !== was.balanceWei) post.balance = formatQuantity(balanceWei)
    const codeHash = bytesToHex(after.codeHash(bytes)) as Hash
    if (codeHash !== was.codeHash) {
      post.codeHash = codeHash
      if (withCode) post.code = formatData(after.code(bytes))
    }
    const nonce = after.nonce(bytes)
    const nonceChanged = nonce !== was.nonce
    if (nonceChanged && nonce > 0n) post.nonce = Number(nonce)
    const kept = new Map<Hash, Hash>()
    const storage: Record<string, unknown> = {}
    let slotsChanged = false
    for (const [slot, value] of was.storage) {
      const now = bytesToHex(after.storage(bytes, hexToBytes(slot)))
      if (now === value) continue
      slotsChanged = true
      if (value !== ZERO) kept.set(slot, value)
      if (now !== ZERO) storage[slot] = now
    }
    if (Object.keys(storage).length > 0) post.storage = storage
    return Object.keys(post).length > 0 || nonceChanged || slotsChanged ? { post, storage: kept } : null
  }

  function accountToJson(account: Noted, storage: ReadonlyMap<Hash, Hash>): unknown {
    return {
      balance: formatQuantity(account.balanceWei),
      ...(withCode && account.code.length > 0 ? { code: formatData(account.code) } : {}),
      ...(account.codeHash === EMPTY_CODE_HASH || account.code.length === 0 ? {} : { codeHash: account.codeHash }),
      ...(account.nonce === 0n ? {} : { nonce: Number(account.nonce) }),
      ...(storage.size === 0 ? {} : { storage: Object.fromEntries(storage) }),
    }
  }
}

/** An account with slots only does not exist. */
function isEmpty(account: Noted): boolean {
  return account.nonce === 0n && account.balanceWei === 0n && account.code.length === 0
}
