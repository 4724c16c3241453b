/**
 * A witness must also serve engines that read more than the core does: the account of a precompile, and a value before they
 * notice that it cannot be paid for.
 */
import type { JournaledState } from '../journal/journaled-state.ts'
import type { CallHost } from './call-host.ts'
import type { CoreInstance } from './core-instance.ts'
import { ACCOUNT_BYTES, ACCOUNT_CODE, ACCOUNTS, SLOT_ACCOUNT, SLOT_FLAGS, SLOT_KEY, SLOT_LOADED, SLOT_TRANSIENT } from './layout.ts'

/** Call before `writeState`. */
export function recordReads(core: CoreInstance, host: CallHost, state: JournaledState): void {
  recordAccounts(core, host, state)
  recordSlots(core, host, state)
}

/** The core keeps codes across calls, so the state does not see each use. */
function recordAccounts({ memory, exports }: CoreInstance, host: CallHost, state: JournaledState): void {
  const end = ACCOUNTS + ACCOUNT_BYTES * exports.accountCount()
  for (let account = ACCOUNTS; account < end; account += ACCOUNT_BYTES) {
    const usesCode = memory.u32(account + ACCOUNT_CODE) !== 0
    // The first is the caller, which a system call does not read.
    if (account === ACCOUNTS && !usesCode) continue
    const entry = host.entryAt(account)
    if (usesCode) state.recordCode(entry)
  }
}

function recordSlots({ memory, exports }: CoreInstance, host: CallHost, state: JournaledState): void {
  const slots = exports.slotCount()
  for (let i = 0; i < slots; i++) {
    const slot = exports.slotAddress(i) >>> 0
    if ((memory.u32(slot + SLOT_FLAGS) & (SLOT_LOADED | SLOT_TRANSIENT)) !== 0) continue
    state.slot(host.entryAt(memory.u32(slot + SLOT_ACCOUNT)), memory.word(slot + SLOT_KEY))
  }
}
