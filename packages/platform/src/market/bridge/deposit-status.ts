/** The bridge's GET /api/status/{l1_tx_hash}. */
import type { Hash } from '@keelson/primitives'
import { z } from 'zod'
import type { JsonSource } from '../http/json-source.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'

const Text = z.string().max(2_000)
const Reason = z.object({ text: Text }).transform(({ text }) => text)
const Status = z.object({
  state: Text,
  l1TxHash: Text,
  l1: z.object({ status: Text, blockNumber: z.int().nullable(), confirmations: z.int() }),
  l2TxHash: Text.nullable(),
  l2BlockNumber: z.int().nullable(),
  estimatedCompletionTime: Text.nullable(),
  reason: Reason.nullable(),
  stuckReason: Text.nullable(),
  nextAction: Reason,
  asOf: Text,
  stale: Text.nullable(),
})

export type ReadDepositStatus = (l1TxHash: Hash, signal?: AbortSignal) => Promise<ToolOutcome<object>>

export function createDepositStatus(bridge: JsonSource) {
  return async (l1TxHash: Hash, signal?: AbortSignal) => {
    const found = await bridge.get(['api', 'status', l1TxHash], Status, { signal })
    if (found === null) return problem('not-found', `the bridge knows no transaction ${l1TxHash} of L1`)
    const { l1 } = found
    return succeeded({
      state: found.state,
      l1_tx_hash: found.l1TxHash,
      l1_status: l1.status,
      l1_block_number: l1.blockNumber,
      l1_confirmations: l1.confirmations,
      l2_tx_hash: found.l2TxHash,
      l2_block_number: found.l2BlockNumber,
      estimated_completion_time: found.estimatedCompletionTime,
      reason: found.reason ?? found.stuckReason,
      next_action: found.nextAction,
      as_of: found.asOf,
      // if the state is outdated, the name of the source that failed
      stale: found.stale,
      source: bridge.label,
    })
  }
}
