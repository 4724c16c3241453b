/** Which rules a block goes by: the one question the execution client asks a fork schedule. */
import type { BlockRules, BlockTransition, ForkSchedule } from '@keelson/chainspec'
import { l2Time } from '@keelson/primitives'

/** Where a block stands; L1 schedules go by number before they go by time. */
export interface BlockPosition {
  readonly number: number
  readonly timestampSec: number
}

export interface ChainRules {
  rulesAt(block: BlockPosition): BlockRules
  /** What is special about one block; null on chains that have nothing of the kind. */
  transitionAt(parent: BlockPosition, block: BlockPosition): BlockTransition | null
}

/** An OP chain goes by the block's own time alone. */
export function opChainRules(forks: ForkSchedule): ChainRules {
  return {
    rulesAt: (block) => forks.blockRules(l2Time(block.timestampSec)),
    transitionAt: (parent, block) => forks.transition(l2Time(parent.timestampSec), l2Time(block.timestampSec)),
  }
}
