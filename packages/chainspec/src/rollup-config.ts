/** The constants of a rollup. */
import type { Address, BlockId, SystemConfig } from '@keelson/primitives'
import type { UnsupportedForkEntry } from './read-rollup-forks.ts'
import type { ForkSchedule } from './rules.ts'
import type { UnsupportedFork } from './unsupported-fork.ts'

export interface RollupConfig {
  readonly l1ChainId: bigint
  readonly l2ChainId: bigint
  readonly blockTimeSec: number
  /** Applies before Fjord; see OriginRules for the value at a given time. */
  readonly maxSequencerDriftSec: number
  readonly sequencingWindowL1Blocks: number
  /** Applies before Granite; see InclusionRules for the value at a given time. */
  readonly channelTimeoutL1Blocks: number
  readonly batchInbox: Address
  /** The address of OptimismPortal. */
  readonly depositContract: Address
  readonly systemConfigContract: Address
  readonly genesis: {
    readonly l1: BlockId
    readonly l2: BlockId
    readonly l2TimestampSec: number
    readonly systemConfig: SystemConfig
  }
  readonly forks: ForkSchedule
  readonly firstUnsupportedFork: UnsupportedFork | null
  readonly unsupportedForks: readonly UnsupportedForkEntry[]
  /** Before Holocene, used in every block. From Holocene on, used when a block's EIP-1559 parameters are all zero. */
  readonly eip1559: Eip1559Constants
  /** On Sepolia chains, the L1 origin time from which Prague's blob parameters apply. */
  readonly pectraBlobScheduleTimeSec: number | null
  readonly keepKarstUpgradeGas: boolean
  /** Chain ids in ascending order, the chain's own among them. specs: interop/dependency-set.md */
  readonly dependencySet: readonly bigint[]
  /** The contract that states the required protocol version. */
  readonly protocolVersionsContract: Address | null
}

export interface Eip1559Constants {
  readonly elasticity: number
  readonly denominator: number
  readonly denominatorCanyon: number
}
