/** Client of the bridge's status service: GET /api/status/{l1_tx_hash}. */
import { z } from 'zod'
import type { DepositStatusSource } from '../../tools/ports.ts'
import type { JsonSource } from '../http/json-source.ts'
import { problem, succeeded } from '../tool-outcome.ts'

const Text = z.string().max(2_000)
const Status = z.object({
  state: Text,
  l1TxHash: Text,
  l1: z.object({ status: Text, blockNumber: z.int().nullable(), confirmations: z.int() }),
  l2TxHash: Text.nullable(),
  l2BlockNumber: z.int().nullable(),
  estimatedCompletionTime: Text.nullable(),
  reason: z.object({ text: Text }).nullable(),
  stuckReason: Text.nullable(),
  nextAction: z.object({ text: Text }),
  asOf: Text,
  stale: Text.nullable(),
})

export function createDepositStatus(bridge: JsonSource): DepositStatusSource {
  return {
    async status(l1TxHash, signal) {
      const found = await bridge.get(['api', 'status', l1TxHash], Status, signal === undefined ? {} : { signal })
      if (found === null) return problem('not-found', `the bridge knows no transaction ${l1TxHash} of L1`)
      return succeeded({
        state: found.state,
        l1_tx_hash: found.l1TxHash,
        l1_status: found.l1.status,
        l1_block_number: found.l1.blockNumber,
        l1_confirmations: found.l1.confirmations,
        l2_tx_hash: found.l2TxHash,
        l2_block_number: found.l2BlockNumber,
        estimated_completion_time: found.estimatedCompletionTime,
        reason: found.reason?.text ?? found.stuckReason,
        next_action: found.nextAction.text,
        as_of: found.asOf,
        stale: found.stale,
        source: bridge.label,
      })
    },
  }
}
