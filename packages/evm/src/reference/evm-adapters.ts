import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import type { EVM } from '@ethereumjs/evm'
import { Account, type Address } from '@ethereumjs/util'
import { type Bytes20, type Bytes32, EMPTY_BYTES, hexToBytes, padLeft } from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import type { AccessSets } from '../journal/access-sets.ts'
import { bytesKey } from '../journal/byte-key.ts'
import type { Journal } from '../journal/journal.ts'
import { type JournaledState, ZERO_WORD } from '../journal/journaled-state.ts'

export interface EvmAdapters {
  readonly stateManager: StateManagerInterface
  readonly journal: EVM['journal']
  readonly transientStorage: EVM['transientStorage']
}

export function createEvmAdapters(state: JournaledState, access: AccessSets, journal: Journal): EvmAdapters {
  return {
    stateManager: createStateManager(state) as unknown as StateManagerInterface,
    journal: createEvmJournal(state, access, journal) as unknown as EVM['journal'],
    transientStorage: createTransientStorage(access) as unknown as EVM['transientStorage'],
  }
}

function readAccount(state: JournaledState, address: Address): Account | undefined {
  const entry = state.entry(address.bytes)
  if (!entry.exists) return undefined
  return new Account(entry.nonce, entry.balanceWei, state.storageRoot(entry), entry.codeHash)
}

function writeAccount(state: JournaledState, address: Address, account: Account): void {
  state.write(state.entry(address.bytes), account.nonce, account.balance, account.codeHash)
}

function unpadZero(value: Bytes32): Uint8Array {
  for (let i = 31; i >= 0; i--) if (value[i] !== 0) return value
  return EMPTY_BYTES
}

function createStateManager(state: JournaledState) {
  const unsupported = (what: string) => () => {
    throw new EvmError('evm/misuse', `the engine asked its state for ${what}, which only the state package knows`)
  }
  return {
    getAccount: (address: Address) => readAccount(state, address),
    putAccount(address: Address, account?: Account) {
      if (account === undefined) state.destroy(state.entry(address.bytes))
      else writeAccount(state, address, account)
    },
    deleteAccount: (address: Address) => state.destroy(state.entry(address.bytes)),
    modifyAccountFields(address: Address, fields: AccountFields) {
      const entry = state.entry(address.bytes)
      state.write(entry, fields.nonce ?? entry.nonce, fields.balance ?? entry.balanceWei, fields.codeHash ?? entry.codeHash)
    },
    putCode: (address: Address, code: Uint8Array) => state.setCode(state.entry(address.bytes), code),
    getCode: (address: Address) => state.code(state.entry(address.bytes)),
    getCodeSize: (address: Address) => state.code(state.entry(address.bytes)).length,
    getStorage: (address: Address, slot: Bytes32) => unpadZero(state.slot(state.entry(address.bytes), slot)),
    putStorage(address: Address, slot: Bytes32, value: Uint8Array) {
      state.setSlot(state.entry(address.bytes), slot, value.length === 0 ? ZERO_WORD : padLeft(value, 32))
    },
    clearStorage: (address: Address) => state.clearStorage(state.entry(address.bytes)),
    originalStorageCache: {
      get: (address: Address, slot: Bytes32) => unpadZero(state.originalSlot(state.entry(address.bytes), slot)),
      clear: () => undefined,
    },
    checkpoint: unsupported('a checkpoint'),
    commit: unsupported('a commit'),
    revert: unsupported('a revert'),
    getStateRoot: unsupported('a state root'),
    setStateRoot: unsupported('a change of state root'),
    hasStateRoot: unsupported('a state root'),
    clearCaches: () => undefined,
    shallowCopy: unsupported('a copy'),
  }
}

function createEvmJournal(state: JournaledState, access: AccessSets, journal: Journal) {
  const checkpoints: number[] = []
  return {
    putAccount: (address: Address, account: Account) => writeAccount(state, address, account),
    deleteAccount: (address: Address) => state.destroy(state.entry(address.bytes)),
    touchAddress: (address: Address) => state.touch(state.entry(address.bytes)),
    checkpoint: () => void checkpoints.push(journal.checkpoint()),
    commit: () => void checkpoints.pop(),
    revert: () => journal.revertTo(checkpoints.pop() ?? 0),
    addAlwaysWarmAddress: (address: string) => access.warm(hexToBytes(address)),
    isWarmedAddress: (address: Bytes20) => access.isWarm(address),
    addWarmedAddress: (address: Bytes20) => access.warm(address),
    isWarmedStorage: (address: Bytes20, slot: Bytes32) => access.isSlotWarm(address, slot),
    addWarmedStorage: (address: Bytes20, slot: Bytes32) => access.warmSlot(address, slot),
  }
}

function createTransientStorage(access: AccessSets) {
  return {
    get: (address: Address, slot: Bytes32) => access.transient(bytesKey(address.bytes) + bytesKey(slot)) ?? ZERO_WORD,
    put: (address: Address, slot: Bytes32, value: Uint8Array) => access.setTransient(bytesKey(address.bytes) + bytesKey(slot), value),
    checkpoint: () => undefined,
    commit: () => undefined,
    revert: () => undefined,
    clear: () => undefined,
  }
}
