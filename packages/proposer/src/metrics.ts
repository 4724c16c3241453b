import type { Metrics } from '@keelson/runtime'

export interface ProposerMetrics {
  /** `have`: last block that may be proposed. */
  looked(next: number, have: number): void
  proposed(l2BlockNumber: number, nowMs: number): void
  failed(): void
}

export function createProposerMetrics(metrics: Metrics): ProposerMetrics {
  const proposals = metrics.counter('proposals_total', 'Output roots proposed to L1')
  const failures = metrics.counter('proposal_failures_total', 'Attempts to propose that failed')
  const proposedBlock = metrics.gauge('proposed_l2_block', 'Last L2 block this process proposed an output for')
  const proposedAt = metrics.gauge('last_proposal_seconds', 'Unix time of the last proposal of this process')
  const nextBlock = metrics.gauge('next_l2_block', 'Next L2 block that the oracle accepts')
  const behind = metrics.gauge(
    'proposals_due_blocks',
    'L2 blocks between the next proposal and the last block that may be proposed; 0 while nothing is due',
  )
  return {
    looked(next, have) {
      nextBlock.set(next)
      behind.set(Math.max(0, have - next))
    },
    proposed(l2BlockNumber, nowMs) {
      proposals.inc()
      proposedBlock.set(l2BlockNumber)
      proposedAt.set(Math.floor(nowMs / 1000))
    },
    failed: () => failures.inc(),
  }
}
