/** The output roots on L1 are those of the chain. */
import type { RollupWorld } from '../roles/rollup-world.ts'
import type { ReportViolation } from './violation.ts'

export async function judgeProposals(world: RollupWorld, report: ReportViolation): Promise<number> {
  const { proposals } = world.l1.head.state
  const api = world.nodes[0]?.running?.consensus.rollupApi
  if (api === undefined) return proposals.length
  for (const { l2BlockNumber, outputRoot } of proposals) {
    const { outputRoot: ours } = await api.outputAtBlock(l2BlockNumber)
    if (ours !== outputRoot) report('proposals are right', `block ${l2BlockNumber}: L1 has ${outputRoot}, the sequencer ${ours}`)
  }
  return proposals.length
}
