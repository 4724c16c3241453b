import { type BlockRules, type BlockTransition, type ForkLimit, type ForkSchedule, historyBeforeBedrock } from '@keelson/chainspec'
import { type Address, type GenesisAccount, type Hash, type Header, l2Time } from '@keelson/primitives'

/** L1 forks activate by block number at first, later ones by time. */
export interface BlockPosition {
  readonly number: number
  readonly timestampSec: number
}

/** Activation points for EIP-2124 and EIP-7910: those that op-geth counts. */
export interface ForkPoints {
  /** Hash of the chain's block 0. */
  readonly genesis: Hash
  /** Block numbers, ascending; block 0 is excluded. */
  readonly blocks: readonly number[]
  /** Times in seconds, ascending; only those after genesis. */
  readonly times: readonly number[]
  /** The next fork, whose rules this release does not implement. */
  readonly unsupportedTimeSec?: number
  readonly depositContract?: Address
}

/** The block that the node's chain begins with. */
export interface FirstBlock {
  readonly hash: Hash
  readonly header: { readonly timestampSec: number }
}

export interface ChainRules {
  rulesAt(block: BlockPosition): BlockRules
  transitionAt(parent: BlockPosition, block: BlockPosition): BlockTransition | null
  readonly limit?: ForkLimit | null
  forkPoints?(first: FirstBlock): ForkPoints
}

export function opChainRules(forks: ForkSchedule, limit: ForkLimit | null = null): ChainRules {
  return {
    limit,
    rulesAt: (block) => forks.blockRules(l2Time(block.timestampSec)),
    transitionAt: (parent, block) => forks.transition(l2Time(parent.timestampSec), l2Time(block.timestampSec)),
    forkPoints({ hash, header }) {
      const history = historyBeforeBedrock(hash)
      return {
        genesis: history?.genesis ?? hash,
        blocks: history?.forkBlocks ?? [],
        times: forks.executionForkTimesSec.filter((timeSec) => timeSec > header.timestampSec),
        ...(limit === null ? {} : { unsupportedTimeSec: limit.fork.timeSec }),
      }
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
