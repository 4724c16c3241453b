/** The output roots on L1 are those of the chain that a new node derives. */
import type { Proposal } from '../l1/l1-state.ts'
import type { RunningNode } from '../roles/simulated-node.ts'
import type { ReportViolation } from './violation.ts'

export async function judgeProposals(proposals: readonly Proposal[], { consensus }: RunningNode, report: ReportViolation): Promise<void> {
  for (const { l2BlockNumber, outputRoot } of proposals) {
    const { outputRoot: derived } = await consensus.rollupApi.outputAtBlock(l2BlockNumber)
    if (derived === outputRoot) continue
    report('proposals are right', `block ${l2BlockNumber}: L1 has ${outputRoot}, a new node derives ${derived}`)
  }
}
