import type { BlockResult, SenderList } from '@keelson/evm'
import type { Block, Bytes20, StateDiff } from '@keelson/primitives'
import type { ComputedState } from '@keelson/state'
import type { StoredReceipt } from '../chain/records.ts'

export interface ExecutedBlock {
  readonly block: Block
  readonly receipts: readonly StoredReceipt[]
  readonly diff: StateDiff
  readonly computed: ComputedState
  readonly elapsedMs: number
}

export function storedReceipts(result: BlockResult, senders: SenderList): StoredReceipt[] {
  return result.transactions.map((tx, i) => ({ receipt: tx.receipt, sender: senders.at(i) as Bytes20, l1Fee: tx.l1Fee }))
}
