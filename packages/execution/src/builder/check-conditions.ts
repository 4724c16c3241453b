import type { OpenBlock } from '@keelson/evm'
import { type Bytes20, bytesToHex, decodeStateDiff, type Hex } from '@keelson/primitives'
import type { StateView } from '@keelson/state'
import {
  conditionalCost,
  failedBlockBound,
  failedForGood,
  failedStorageCondition,
  type TransactionConditional,
} from '../txpool/conditional.ts'

export type ConditionVerdict = 'holds' | 'later' | 'failed'

export interface Position {
  readonly open: OpenBlock
  readonly transactions: number
}

export interface ConditionedBlock {
  readonly number: number
  readonly timestampSec: number
  readonly parent: StateView
}

/** Maximum look-ups per payload; accounts that the payload has written to also count. */
const MAX_CONDITION_LOOKUPS = 5_000

/** Checks transactions' conditions; a transaction that would exceed the limit waits for a later block. */
export class ConditionChecker {
  readonly #block: ConditionedBlock
  #lookupsLeft = MAX_CONDITION_LOOKUPS
  #written: (Position & { readonly addresses: ReadonlySet<Hex> }) | null = null

  constructor(block: ConditionedBlock) {
    this.#block = block
  }

  check(conditional: TransactionConditional, position: Position): ConditionVerdict {
    if (failedBlockBound(conditional, this.#block) !== null) return failedForGood(conditional, this.#block) ? 'failed' : 'later'
    const cost = conditionalCost(conditional)
    if (cost > this.#lookupsLeft) return 'later'
    this.#lookupsLeft -= cost
    const { parent } = this.#block
    const { session } = position.open
    const state = {
      // A written account counts as changed: storage roots are unknown within a block.
      account: (address: Bytes20) =>
        this.#writtenAt(position).has(bytesToHex(address)) ? { storageRoot: new Uint8Array(32) } : parent.account(address),
      storage: (address: Bytes20, slot: Uint8Array) => session.storage(address, slot),
    }
    return failedStorageCondition(conditional, state) === null ? 'holds' : 'failed'
  }

  #writtenAt(position: Position): ReadonlySet<Hex> {
    const known = this.#written
    if (known !== null && known.open === position.open && known.transactions === position.transactions) return known.addresses
    const { accounts } = decodeStateDiff(position.open.session.takeDiff())
    this.#lookupsLeft -= accounts.length
    const isWritten = (change: (typeof accounts)[number]) => change.deleted || change.storageReset || change.slots.length > 0
    const addresses = new Set(accounts.filter(isWritten).map(({ address }) => bytesToHex(address)))
    this.#written = { ...position, addresses }
    return addresses
  }
}
