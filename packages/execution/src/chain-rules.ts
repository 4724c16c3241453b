import type { BlockRules, BlockTransition, ForkLimit, ForkSchedule } from '@keelson/chainspec'
import { type Address, type GenesisAccount, type Header, l2Time } from '@keelson/primitives'

/** L1 forks activate by block number at first, later ones by time. */
export interface BlockPosition {
  readonly number: number
  readonly timestampSec: number
}

/** Activation points for EIP-2124 and EIP-7910. */
export interface ForkPoints {
  /** Block numbers, ascending; the first block is excluded. */
  readonly blocks: readonly number[]
  /** Times in seconds, ascending; only those after genesis. */
  readonly times: readonly number[]
  readonly depositContract?: Address
}

export interface ChainRules {
  rulesAt(block: BlockPosition): BlockRules
  transitionAt(parent: BlockPosition, block: BlockPosition): BlockTransition | null
  readonly limit?: ForkLimit | null
  forkPoints?(genesisTimeSec: number): ForkPoints
}

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
    /** Read only when the store is empty. */
    readonly alloc: Iterable<GenesisAccount>
  }
}
