/** The rollup's constants, from op-node's rollup.json (load-rollup-config.ts). */
import type { Address, BlockId, SystemConfig } from '@keelson/primitives'
import type { UnsupportedForkEntry } from './read-rollup-forks.ts'
import type { ForkSchedule } from './rules.ts'
import type { UnsupportedFork } from './unsupported-fork.ts'

export interface RollupConfig {
  readonly l1ChainId: bigint
  readonly l2ChainId: bigint
  readonly blockTimeSec: number
  /** Used by origins before Fjord; see OriginRules. */
  readonly maxSequencerDriftSec: number
  readonly sequencingWindowL1Blocks: number
  /** As configured for Bedrock; see InclusionRules for the one in force. */
  readonly channelTimeoutL1Blocks: number
  readonly batchInbox: Address
  /** OptimismPortal on L1. */
  readonly depositContract: Address
  readonly systemConfigContract: Address
  readonly genesis: {
    readonly l1: BlockId
    readonly l2: BlockId
    readonly l2TimestampSec: number
    readonly systemConfig: SystemConfig
  }
  readonly forks: ForkSchedule
  /** The first scheduled fork that this release does not implement; null when it implements all of them. */
  readonly firstUnsupportedFork: UnsupportedFork | null
  /** All of them as the file states them. */
  readonly unsupportedForks: readonly UnsupportedForkEntry[]
  /** Elasticity and denominators of the base fee before Holocene, and for all-zero parameters after. */
  readonly eip1559: Eip1559Constants
  /** Exception of the Sepolia chains: Prague blob parameters only from this L1 origin time. Null elsewhere. */
  readonly pectraBlobScheduleTimeSec: number | null
  /** The chain's history kept the gas of Karst's upgrade transactions in its limit. */
  readonly keepKarstUpgradeGas: boolean
  /** Contract on L1 that states which protocol version is required; null when the chain has none. */
  readonly protocolVersionsContract: Address | null
}

export interface Eip1559Constants {
  readonly elasticity: number
  readonly denominator: number
  readonly denominatorCanyon: number
}
