/** The rules of each block, as the execution client asks for them. */

import type { BlockRules, BlockTransition, ForkLimit, ForkSchedule } from '@keelson/chainspec'
import { type Address, type GenesisAccount, type Header, l2Time } from '@keelson/primitives'

/** Position of a block; L1 schedules use the number first, then the time. */
export interface BlockPosition {
  readonly number: number
  readonly timestampSec: number
}

/** Activation points of the forks, for EIP-2124 and EIP-7910. */
export interface ForkPoints {
  /** Block numbers, ascending, without the first block's. */
  readonly blocks: readonly number[]
  /** Seconds, ascending, without those at or before genesis. */
  readonly times: readonly number[]
  readonly depositContract?: Address
}

export interface ChainRules {
  rulesAt(block: BlockPosition): BlockRules
  /** Irregular changes of an activation block, or null. */
  transitionAt(parent: BlockPosition, block: BlockPosition): BlockTransition | null
  /** The first fork that this release does not implement, if there is one. */
  readonly limit?: ForkLimit | null
  forkPoints?(genesisTimeSec: number): ForkPoints
}

/** The rules of an OP chain depend only on the block's time. */
export function opChainRules(forks: ForkSchedule, limit: ForkLimit | null = null): ChainRules {
  return {
    limit,
    rulesAt: (block) => forks.blockRules(l2Time(block.timestampSec)),
    transitionAt: (parent, block) => forks.transition(l2Time(parent.timestampSec), l2Time(block.timestampSec)),
    forkPoints(genesisTimeSec) {
      const times = new Set(forks.lineage.flatMap((fork) => forks.activationTimeSec(fork) ?? []).filter((time) => time > genesisTimeSec))
      return { blocks: [], times: [...times].sort((a, b) => a - b) }
    },
  }
}

export interface ExecutionChain {
  readonly chainId: bigint
  readonly rules: ChainRules
  readonly genesis: {
    readonly header: Header
    /** Iterated only when the store is empty. */
    readonly alloc: Iterable<GenesisAccount>
  }
}
