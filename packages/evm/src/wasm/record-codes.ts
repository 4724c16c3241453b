import type { JournaledState } from '../journal/journaled-state.ts'
import type { CallHost } from './call-host.ts'
import type { CoreInstance } from './core-instance.ts'
import { ACCOUNT_BYTES, ACCOUNT_CODE, ACCOUNTS } from './layout.ts'

/** The core keeps codes across calls, so the state does not see each use. Call before `writeState`. */
export function recordCodes({ memory, exports }: CoreInstance, host: CallHost, state: JournaledState): void {
  const end = ACCOUNTS + ACCOUNT_BYTES * exports.accountCount()
  for (let account = ACCOUNTS; account < end; account += ACCOUNT_BYTES) {
    if (memory.u32(account + ACCOUNT_CODE) !== 0) state.recordCode(host.entryAt(account))
  }
}
