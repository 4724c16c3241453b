/** Which rules a block goes by: the one question the execution client asks a fork schedule. */

import type { BlockRules, BlockTransition, ForkLimit, ForkSchedule } from '@keelson/chainspec'
import { type Address, type GenesisAccount, type Header, l2Time } from '@keelson/primitives'

/** Where a block stands; L1 schedules go by number before they go by time. */
export interface BlockPosition {
  readonly number: number
  readonly timestampSec: number
}

/** When the rules of a chain change, for those who compare schedules (EIP-2124, EIP-7910). */
export interface ForkPoints {
  /** By block number, ascending; those from the first block on left out. */
  readonly blocks: readonly number[]
  /** By time in seconds, ascending; those not after genesis left out. */
  readonly times: readonly number[]
  /** Deposit contract of an L1 chain with deposit requests. */
  readonly depositContract?: Address
}

export interface ChainRules {
  rulesAt(block: BlockPosition): BlockRules
  /** What is special about one block; null on chains that have nothing of the kind. */
  transitionAt(parent: BlockPosition, block: BlockPosition): BlockTransition | null
  /** Where the chain leaves what this release implements; null or absent: nowhere. */
  readonly limit?: ForkLimit | null
  /** Without it eth_config does not exist. */
  forkPoints?(genesisTimeSec: number): ForkPoints
}

/** An OP chain goes by the block's own time alone. */
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
