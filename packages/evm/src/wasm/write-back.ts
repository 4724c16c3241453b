import { bytesToHex, type Hash, type Log, toAddress } from '@keelson/primitives'
import type { AccountEntry, JournaledState } from '../journal/journaled-state.ts'
import type { CallHost } from './call-host.ts'
import type { CoreInstance } from './core-instance.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_BYTES,
  ACCOUNT_CHANGED,
  ACCOUNT_CODE_HASH,
  ACCOUNT_CREATED,
  ACCOUNT_DESTROYED,
  ACCOUNT_EXISTS,
  ACCOUNT_FLAGS,
  ACCOUNT_NONCE,
  ACCOUNT_TOUCHED,
  ACCOUNTS,
  LOG_ADDRESS,
  LOG_DATA_LENGTH,
  LOG_TOPIC_COUNT,
  LOG_TOPICS,
  LOGS,
  SLOT_ACCOUNT,
  SLOT_CHANGED,
  SLOT_FLAGS,
  SLOT_KEY,
  SLOT_TRANSIENT,
  SLOT_VALUE,
} from './layout.ts'
import type { CoreMemory } from './memory.ts'

const WORD_BYTES = 32

export interface TransactionSets {
  readonly created: Set<string>
  readonly destroyed: Set<string>
}

export function writeState(core: CoreInstance, host: CallHost, state: JournaledState, sets: TransactionSets): void {
  const { memory, exports } = core
  const accountEnd = ACCOUNTS + ACCOUNT_BYTES * exports.accountCount()
  for (let account = ACCOUNTS; account < accountEnd; account += ACCOUNT_BYTES) {
    const flags = memory.u32(account + ACCOUNT_FLAGS)
    if ((flags & (ACCOUNT_CHANGED | ACCOUNT_TOUCHED)) === 0) continue
    const entry = host.entryAt(account)
    if ((flags & ACCOUNT_CHANGED) !== 0) writeAccount(core, state, entry, account, flags)
    if ((flags & ACCOUNT_TOUCHED) !== 0) state.touch(entry)
    if ((flags & ACCOUNT_CREATED) !== 0) sets.created.add(entry.key)
    if ((flags & ACCOUNT_DESTROYED) !== 0) sets.destroyed.add(entry.key)
  }
  const slots = exports.slotCount()
  for (let i = 0; i < slots; i++) {
    const slot = exports.slotAddress(i) >>> 0
    const flags = memory.u32(slot + SLOT_FLAGS)
    if ((flags & (SLOT_CHANGED | SLOT_TRANSIENT)) === SLOT_CHANGED) writeSlot(core, host, state, slot)
  }
}

function writeAccount({ memory }: CoreInstance, state: JournaledState, entry: AccountEntry, account: number, flags: number): void {
  // The account's creation was reverted.
  if ((flags & ACCOUNT_EXISTS) === 0) return
  const hashAt = account + ACCOUNT_CODE_HASH
  const codeHash = memory.equalsWord(hashAt, entry.codeHash) ? entry.codeHash : memory.word(hashAt)
  const nonce = memory.u64(account + ACCOUNT_NONCE)
  const balanceWei = memory.number(account + ACCOUNT_BALANCE)
  const same = entry.exists && codeHash === entry.codeHash && nonce === entry.nonce && balanceWei === entry.balanceWei
  if (!same) state.write(entry, nonce, balanceWei, codeHash)
}

function writeSlot({ memory }: CoreInstance, host: CallHost, state: JournaledState, slot: number): void {
  const entry = host.entryAt(memory.u32(slot + SLOT_ACCOUNT))
  const key = memory.wordKey(slot + SLOT_KEY)
  const valueAt = slot + SLOT_VALUE
  if (!memory.equalsWord(valueAt, state.slotOf(entry, key))) state.setSlotOf(entry, key, memory.word(valueAt))
}

/** The core does not revert the touch of RIPEMD-160 (EIP-161 note). */
export function writeTouches({ memory, exports }: CoreInstance, host: CallHost, state: JournaledState): void {
  const end = ACCOUNTS + ACCOUNT_BYTES * exports.accountCount()
  for (let account = ACCOUNTS; account < end; account += ACCOUNT_BYTES) {
    if ((memory.u32(account + ACCOUNT_FLAGS) & ACCOUNT_TOUCHED) !== 0) state.touch(host.entryAt(account))
  }
}

export function readLogs({ memory, exports }: CoreInstance): Log[] {
  const logs: Log[] = []
  const end = exports.logMark()
  for (let at = LOGS; at < end; ) {
    logs.push(readLog(memory, at))
    const bytes = LOG_TOPICS + WORD_BYTES * memory.u32(at + LOG_TOPIC_COUNT) + memory.u32(at + LOG_DATA_LENGTH)
    at += Math.ceil(bytes / 8) * 8
  }
  return logs
}

export function readLog(memory: CoreMemory, at: number): Log {
  const count = memory.u32(at + LOG_TOPIC_COUNT)
  const topics: Hash[] = []
  for (let i = 0; i < count; i++) topics.push(bytesToHex(memory.word(at + LOG_TOPICS + WORD_BYTES * i)) as Hash)
  const data = memory.copy(at + LOG_TOPICS + WORD_BYTES * count, memory.u32(at + LOG_DATA_LENGTH))
  return { address: toAddress(memory.address(at + LOG_ADDRESS)), topics, data }
}
