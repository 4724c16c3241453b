/**
 * Expresses fork differences as parameters: code asks for a parameter, never for a fork. Each of the three rule sets is chosen by
 * a different timestamp; branded time types turn a mix-up into a compile error.
 */
import type { Address, InclusionTimeSec, L2TimeSec, OriginTimeSec } from '@keelson/primitives'
import type { BlobParameters } from './l1-chain.ts'

const COMMON_FORKS = ['bedrock', 'regolith', 'canyon', 'delta', 'ecotone', 'fjord', 'granite', 'holocene', 'isthmus', 'jovian'] as const

/**
 * Forks in order of activation. After Jovian, OP Stack chains continue with Karst, and Base with its own forks.
 * https://docs.base.org/base-chain/specs/upgrades/azul/overview
 */
export const LINEAGES = {
  op: [...COMMON_FORKS, 'karst', 'lagoon'],
  base: [...COMMON_FORKS, 'azul'],
} as const
export type Lineage = keyof typeof LINEAGES
export type Fork = (typeof LINEAGES)[Lineage][number]

/** Every fork of every lineage; the order holds only within a lineage. */
export const FORKS: readonly Fork[] = [...new Set<Fork>(Object.values(LINEAGES).flat())]

export function forksUpTo(fork: Fork): readonly Fork[] {
  const lineage: readonly Fork[] = Object.values(LINEAGES).find((forks: readonly Fork[]) => forks.includes(fork)) ?? []
  return lineage.slice(0, lineage.indexOf(fork) + 1)
}

/** In order of activation. The engine executes blocks up to Osaka; later forks are only followed. */
export const ETH_FORKS = [
  'frontier',
  'homestead',
  'tangerine',
  'spurious',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
  'amsterdam',
] as const
export type EthFork = (typeof ETH_FORKS)[number]

/** Rules for reading L1 data, chosen by the time of the L1 block that contains it. */
export interface InclusionRules {
  readonly maxChannelBankBytes: number
  readonly maxRlpBytesPerChannel: number
  readonly channelTimeoutL1Blocks: number
  /** Batches may come in blobs; calldata of blob transactions is then ignored. */
  readonly blobs: boolean
  readonly brotliChannels: boolean
  /** Canyon: the channel bank yields the first channel that is ready; before, only the first channel, once it is ready. */
  readonly readsFirstReadyChannel: boolean
  /** Holocene: frames and batches in strict order, one staging channel, partial span batches. */
  readonly strictOrdering: boolean
  readonly maxSpanBatchElements: number
  /** Ecotone: fee scalars in system config updates carry a version byte. */
  readonly versionedFeeScalars: boolean
}

/** Rules for a batch, chosen by the time of its L1 origin. */
export interface OriginRules {
  readonly spanBatches: boolean
  /** Null before Fjord: `max_sequencer_drift` of the rollup config applies. */
  readonly maxSequencerDriftSec: number | null
}

export type L1InfoFormat = 'bedrock' | 'ecotone' | 'isthmus' | 'jovian'
/**
 * How a transaction's L1 cost is measured: calldata gas plus 68 bytes for a signature (Bedrock), without the signature
 * (Regolith), with packed scalars and a blob price (Ecotone), by FastLZ size (Fjord).
 */
export type L1CostFunction = 'calldata-and-signature' | 'calldata' | 'calldata-packed' | 'fastlz'

/** Largest accepted input in bytes; null means no limit. */
export interface PrecompileInputLimits {
  readonly bn256Pairing: number | null
  readonly blsG1Msm: number | null
  readonly blsG2Msm: number | null
  readonly blsPairing: number | null
}

export interface BaseFeeConstants {
  readonly elasticity: bigint
  readonly denominator: bigint
}

/** Rules for a block, chosen by its own timestamp. */
export interface BlockRules {
  readonly chain: 'op' | 'l1'
  readonly ethFork: EthFork
  /** From London the base fee is burned; OP chains collect fees in vaults. */
  readonly feeSink: 'miner' | 'burn' | 'vaults'
  readonly l1Cost: L1CostFunction | null
  readonly l1InfoFormat: L1InfoFormat
  /** Unit of the scalar: millionths of a wei per gas (Isthmus), hundreds of wei (Jovian). */
  readonly operatorFee: 'millionths' | 'hundreds' | null
  /** Regolith: deposits report the gas they used, and system transactions are metered. */
  readonly depositGasMetered: boolean
  readonly depositReceiptNonce: boolean
  readonly depositReceiptVersion: boolean
  /** Holocene: extraData of a block sets the base fee parameters of its child. */
  readonly eip1559Source: 'constants' | 'header'
  /** From Holocene on, used when the parent's parameters are all zero. */
  readonly baseFeeConstants: BaseFeeConstants
  /** Holocene: 9 bytes, version 0. Jovian: 17 bytes, version 1. Null: any content. */
  readonly extraDataVersion: 0 | 1 | null
  readonly minBaseFee: boolean
  /** Jovian: blobGasUsed is the DA footprint, which also moves the base fee. */
  readonly daFootprint: boolean
  readonly blobTransactions: boolean
  readonly blobFields: boolean
  /** Null without blobs; the blob base fee is then 1 wei. */
  readonly blobParameters: BlobParameters | null
  /** EIP-4788. */
  readonly parentBeaconRoot: boolean
  /** EIP-2935. */
  readonly historyContract: boolean
  readonly setCodeTransactions: boolean
  /** Lagoon: a block may end with a post-execution transaction (0x7d), which refunds gas of transactions before it. */
  readonly postExecTransactions: boolean
  /** EIP-7685. */
  readonly requests: 'absent' | 'empty' | 'list'
  /** EIP-7928, EIP-7843: L1 from Amsterdam. */
  readonly blockAccessList: boolean
  /** Isthmus: withdrawalsRoot is the storage root of the message passer. */
  readonly withdrawals: 'absent' | 'empty' | 'list' | 'storage-root'
  readonly blockRewardWei: bigint
  /** Before Byzantium a receipt holds a state root instead of a status. */
  readonly receiptOutcome: 'root' | 'status'
  /** EIP-158/161. */
  readonly clearsEmptyAccounts: boolean
  /** EIP-7825; deposits are exempt. */
  readonly maxTransactionGas: bigint | null
  /** Price of RIP-7212 / EIP-7951 at 0x100; null when absent. */
  readonly p256VerifyGas: bigint | null
  readonly precompileInputLimits: PrecompileInputLimits
  /** How eth_config (EIP-7910) reports a fork without blobs. */
  readonly missingBlobSchedule: 'null' | 'zeroes'
}

/** Upgrade transactions of a fork. specs: protocol/l2-upgrades-1-execution.md#network-upgrade-transaction-bundle */
export interface UpgradeBundle {
  /** Encoded deposits. */
  readonly transactions: readonly Uint8Array[]
  /** Sum of their gas limits, added to the activation block's own limit. */
  readonly gas: bigint
  /** Added on top, for deposits outside the bundle; null if the bundle's version cannot say it. */
  readonly extraGas: bigint | null
}

/** Upgrade transactions around a fork's bundle, only for a chain whose dependency set has more members than itself. */
export interface DependencySetDeposits {
  /** Encoded deposits. */
  readonly before: readonly Uint8Array[]
  readonly after: readonly Uint8Array[]
  /** Sum of their gas limits. Every chain's activation block gets it, whatever its dependency set. */
  readonly gas: bigint
}

/** Effects of fork activation on one block. */
export interface BlockTransition {
  readonly activates: readonly Fork[]
  /** Encoded deposits, after L1 info and user deposits. */
  readonly upgradeTransactions: readonly Uint8Array[]
  /** Lags one block behind the fork that changes the format. */
  readonly l1InfoFormat: L1InfoFormat
  /** If false, a batch with user transactions for this block is dropped (Jovian). */
  readonly userTransactionsAllowed: boolean
  /** Added to the gas limit of this block only (Karst). */
  readonly upgradeGas: bigint
  /** The part of `upgradeGas` that stays in the limit of later blocks: Karst's, with `keep_karst_upgrade_gas` in rollup.json. */
  readonly keptUpgradeGas: bigint
  /** Code that the fork sets directly (Canyon). */
  readonly irregularCode: readonly { readonly address: Address; readonly code: Uint8Array }[]
}

/** Chain-specific fork parameters. */
export interface ChainConstants {
  /** `channel_timeout` of rollup.json; applies before Granite. */
  readonly channelTimeoutL1Blocks: number
  readonly baseFee: BaseFeeConstants
  readonly baseFeeCanyon: BaseFeeConstants
}

export type RuleChanges<T> = Partial<T> | ((chain: ChainConstants) => Partial<T>)

export interface ForkDefinition {
  readonly name: Fork
  /** Name of the object in rollup.json and genesis.json that holds the fork's time. */
  readonly configGroup?: 'base'
  /** True if blocks keep their rules: execution clients do not configure the fork, and their fork ids leave it out. */
  readonly derivationOnly?: true
  readonly inclusion?: RuleChanges<InclusionRules>
  readonly origin?: RuleChanges<OriginRules>
  readonly block?: RuleChanges<BlockRules>
  /** Hex strings, for forks that predate upgrade bundles. */
  readonly upgradeTransactions?: readonly string[]
  /** A private network may replace this bundle. */
  readonly upgradeBundle?: () => UpgradeBundle
  readonly dependencySetDeposits?: () => DependencySetDeposits
  /** Why the shipped bundle may not be the one of public networks, which therefore need it as a file of their own. */
  readonly unconfirmedBundle?: string
  readonly userTransactionsInActivationBlock?: boolean
  readonly irregularCode?: BlockTransition['irregularCode']
}

export interface ForkSchedule {
  /** Includes forks that are not scheduled. */
  readonly lineage: readonly Fork[]
  /** Null when not scheduled; 0 means active at genesis. */
  activationTimeSec(fork: Fork): number | null
  /** Activation times of the forks that execution clients configure, ascending, each once. */
  readonly executionForkTimesSec: readonly number[]
  forkAt(block: L2TimeSec): Fork
  inclusionRules(l1Inclusion: InclusionTimeSec): InclusionRules
  originRules(l1Origin: OriginTimeSec): OriginRules
  blockRules(l2Block: L2TimeSec): BlockRules
  /** `parent` is null for genesis, which has no transition. */
  transition(parent: L2TimeSec | null, block: L2TimeSec): BlockTransition
}
