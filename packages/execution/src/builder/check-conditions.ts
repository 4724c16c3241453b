/** Do the conditions of a pool transaction hold at its place in a block under construction? */
import type { OpenBlock } from '@keelson/evm'
import { type Bytes20, bytesToHex, decodeStateDiff } from '@keelson/primitives'
import type { StateView } from '@keelson/state'
import { failedBlockBound, failedForGood, failedStorageCondition, type TransactionConditional } from '../txpool/conditional.ts'

/** `later`: a block to come may be the one. */
export type ConditionVerdict = 'holds' | 'later' | 'failed'

export function checkConditions(
  conditional: TransactionConditional,
  block: { readonly number: number; readonly timestampSec: number },
  open: OpenBlock,
  parent: StateView,
): ConditionVerdict {
  if (failedBlockBound(conditional, block) !== null) return failedForGood(conditional, block) ? 'failed' : 'later'
  const { session } = open
  const state = {
    // Within a block no root is known: that of an account the block has written to is taken for another one.
    account: (address: Bytes20) => (isWritten(open, address) ? { storageRoot: new Uint8Array(32) } : parent.account(address)),
    storage: (address: Bytes20, slot: Uint8Array) => session.storage(address, slot),
  }
  return failedStorageCondition(conditional, state) === null ? 'holds' : 'failed'
}

function isWritten({ session }: OpenBlock, address: Bytes20): boolean {
  const hex = bytesToHex(address)
  return decodeStateDiff(session.takeDiff()).accounts.some(
    (change) => bytesToHex(change.address) === hex && (change.deleted || change.storageReset || change.slots.length > 0),
  )
}
