/** Some time after the last fault, every node follows the chain again. */
import type { RollupWorld } from '../roles/rollup-world.ts'
import type { ReportViolation } from './violation.ts'

const UNSAFE_LAG_BLOCKS = 5
/** Channels stay open for five L1 blocks; then they are sent and derived. */
const SAFE_LAG_BLOCKS = 150
/** Two epochs of L1, and the lag of the safe head. */
const FINALIZED_LAG_BLOCKS = 64 * 6 + 2 * SAFE_LAG_BLOCKS

export function judgeLiveness(world: RollupWorld, report: ReportViolation): void {
  const { config } = world.rollup
  const due = Math.floor((world.simulation.nowMs / 1000 - config.genesis.l2TimestampSec) / config.blockTimeSec)
  for (const { name, gossips, running } of world.nodes) {
    const heads = running?.consensus.driver.heads
    if (heads == null) {
      report('every node is live', `${name} does not run`)
      continue
    }
    const late = (label: 'unsafe' | 'safe' | 'finalized', most: number) => {
      const lag = due - heads[label].number
      if (lag > most) report('every node is live', `${name}: its ${label} head is ${lag} blocks behind, at most ${most} are normal`)
    }
    late('unsafe', gossips ? UNSAFE_LAG_BLOCKS : SAFE_LAG_BLOCKS)
    late('safe', SAFE_LAG_BLOCKS)
    late('finalized', FINALIZED_LAG_BLOCKS)
  }
}
