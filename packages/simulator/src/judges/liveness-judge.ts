/** Some time after the last fault, every node follows the chain again. */
import type { RollupWorld } from '../roles/rollup-world.ts'
import type { SimulatedNode } from '../roles/simulated-node.ts'
import type { ReportViolation } from './violation.ts'

const UNSAFE_LAG_BLOCKS = 5
/** Channels stay open for five L1 blocks; then they are sent and derived. */
const SAFE_LAG_BLOCKS = 150

/** Call it when the network had time to recover. */
export function judgeLiveness(world: RollupWorld, nodes: readonly SimulatedNode[], report: ReportViolation): void {
  const { config } = world.rollup
  const { nowMs } = world.simulation
  const due = Math.floor((nowMs / 1000 - config.genesis.l2TimestampSec) / config.blockTimeSec)
  const { finalityBlocks, blockTimeSec } = world.l1.options
  // Until L1 is final, and the lag of the safe head.
  const finalizedLag = (finalityBlocks * blockTimeSec) / config.blockTimeSec + 2 * SAFE_LAG_BLOCKS
  const mayBeFinal = nowMs - world.lastFaultMs > finalizedLag * config.blockTimeSec * 1000
  for (const { name, gossips, running } of nodes) {
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
    if (mayBeFinal) late('finalized', finalizedLag)
  }
}
