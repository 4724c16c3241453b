/**
 * What a fork may change, as parameters. Code asks for a parameter, never for a fork; three rule sets
 * are chosen by three different clocks, and the branded times make a mix-up a compile error.
 */
import type { Address, InclusionTimeSec, L2TimeSec, OriginTimeSec } from '@keelson/primitives'
import type { BlobParameters } from './l1-chain.ts'

/** Every chain has these forks, in this order. */
const COMMON_FORKS = ['bedrock', 'regolith', 'canyon', 'delta', 'ecotone', 'fjord', 'granite', 'holocene', 'isthmus', 'jovian'] as const

/**
 * The forks of a chain in order of activation. Chains part after Jovian: those of the OP Stack continue with Karst, Base with
 * forks of its own. https://docs.base.org/base-chain/specs/upgrades/azul/overview
 */
export const LINEAGES = {
  op: [...COMMON_FORKS, 'karst'],
  base: [...COMMON_FORKS, 'azul'],
} as const
export type Lineage = keyof typeof LINEAGES
export type Fork = (typeof LINEAGES)[Lineage][number]

/** Every fork of every lineage, once. Their order holds only within a lineage. */
export const FORKS: readonly Fork[] = [...new Set<Fork>(Object.values(LINEAGES).flat())]

/** From Bedrock up to and including `fork`, in order of activation. */
export function forksUpTo(fork: Fork): readonly Fork[] {
  const lineage: readonly Fork[] = Object.values(LINEAGES).find((forks: readonly Fork[]) => forks.includes(fork)) ?? []
  return lineage.slice(0, lineage.indexOf(fork) + 1)
}

/**
 * L1 forks in order: which opcodes, gas costs and precompiles apply. From Amsterdam on this release follows L1 and sends
 * transactions to it, but does not execute its blocks: the engine refuses its rules.
 */
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

/** Rules for reading L1 data. Chosen by the time of the L1 block that carried it. */
export interface InclusionRules {
  readonly maxChannelBankBytes: number
  readonly maxRlpBytesPerChannel: number
  readonly channelTimeoutL1Blocks: number
  /** Batches may come in blobs; the calldata of a blob transaction is then ignored. */
  readonly blobs: boolean
  readonly brotliChannels: boolean
  /** The bank yields the first *ready* channel in place of the first one (Canyon). */
  readonly readsFirstReadyChannel: boolean
  /** Holocene: frames and batches in strict order, one staging channel, partial span batches. */
  readonly strictOrdering: boolean
  readonly maxSpanBatchElements: number
  /** Fee scalars in system config updates carry a version byte, and the overhead is gone (Ecotone). */
  readonly versionedFeeScalars: boolean
}

/** Rules for judging a batch. Chosen by the time of its L1 origin. */
export interface OriginRules {
  readonly spanBatches: boolean
  /** From Fjord a constant; before, null means the rollup config's `max_sequencer_drift`. */
  readonly maxSequencerDriftSec: number | null
}

export type L1InfoFormat = 'bedrock' | 'ecotone' | 'isthmus' | 'jovian'
/**
 * How a transaction's share of the L1 costs is measured: gas of its calldata, at first with 68 bytes for a
 * signature (Bedrock) and then without (Regolith); the same with packed scalars and a blob price (Ecotone);
 * its size after FastLZ (Fjord).
 */
export type L1CostFunction = 'calldata-and-signature' | 'calldata' | 'calldata-packed' | 'fastlz'

/** Largest input in bytes that a precompile accepts; a call with more fails. Null means no limit. */
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

/** Rules for building and executing a block. Chosen by that block's own timestamp. */
export interface BlockRules {
  /** 'op' understands deposits and L1 costs; 'l1' is plain Ethereum. */
  readonly chain: 'op' | 'l1'
  readonly ethFork: EthFork
  /** Where the base fee and the tip go: both to the miner (before London), burned, or to the OP vaults. */
  readonly feeSink: 'miner' | 'burn' | 'vaults'
  readonly l1Cost: L1CostFunction | null
  readonly l1InfoFormat: L1InfoFormat
  /** Scalar in millionths of a wei per gas (Isthmus), or in hundreds of wei (Jovian). */
  readonly operatorFee: 'millionths' | 'hundreds' | null
  /** Regolith: deposits report the gas they used, system transactions are like others. */
  readonly depositGasMetered: boolean
  readonly depositReceiptNonce: boolean
  readonly depositReceiptVersion: boolean
  /** Where base-fee parameters come from: `baseFeeConstants` or this block's extraData, read by its child (Holocene). */
  readonly eip1559Source: 'constants' | 'header'
  /** EIP-1559 parameters of the chain; from Holocene what all-zero parameters stand for. */
  readonly baseFeeConstants: BaseFeeConstants
  /** Version byte of extraData from Holocene (9 bytes, 0) and Jovian (17 bytes, 1); null when free. */
  readonly extraDataVersion: 0 | 1 | null
  readonly minBaseFee: boolean
  /** Header blobGasUsed carries the DA footprint, which also moves the base fee (Jovian). */
  readonly daFootprint: boolean
  readonly blobTransactions: boolean
  /** Header has blobGasUsed and excessBlobGas. */
  readonly blobFields: boolean
  /** Target, maximum and price of blobs (L1); null where there are none, and the blob base fee is then 1 wei. */
  readonly blobParameters: BlobParameters | null
  /** EIP-4788: header field and system call. */
  readonly parentBeaconRoot: boolean
  /** EIP-2935 system call. */
  readonly historyContract: boolean
  readonly setCodeTransactions: boolean
  /** EIP-7685 requests: header field absent, always the hash of none, or collected (L1). */
  readonly requests: 'absent' | 'empty' | 'list'
  /** Header has blockAccessListHash (EIP-7928) and slotNumber (EIP-7843): L1 from Amsterdam, never an L2 block. */
  readonly blockAccessList: boolean
  /** Withdrawals and their header root: absent, always the empty list, real ones (L1), or the storage root of the message passer. */
  readonly withdrawals: 'absent' | 'empty' | 'list' | 'storage-root'
  readonly blockRewardWei: bigint
  /** Before Byzantium a receipt holds the state root after its transaction in place of a status. */
  readonly receiptOutcome: 'root' | 'status'
  /** EIP-158/161. */
  readonly clearsEmptyAccounts: boolean
  /** EIP-7825: most gas one user transaction may ask for; deposits are exempt. Null on L1 from Amsterdam (EIP-8037). */
  readonly maxTransactionGas: bigint | null
  /** RIP-7212 / EIP-7951 at 0x100, with its price; null when absent. */
  readonly p256VerifyGas: bigint | null
  readonly precompileInputLimits: PrecompileInputLimits
  /** What eth_config states where there are no blobs: no blob schedule, or one of zeroes. EIP-7910 */
  readonly missingBlobSchedule: 'null' | 'zeroes'
}

/** The upgrade transactions of a fork as one unit. specs: protocol/l2-upgrades-1-execution.md#network-upgrade-transaction-bundle */
export interface UpgradeBundle {
  /** Encoded deposits, in order of execution. */
  readonly transactions: readonly Uint8Array[]
  /** Sum of their gas limits: what the activation block gets on top of its own limit. */
  readonly gas: bigint
}

/** What is special about one block because of the forks that activate in it; mostly empty. */
export interface BlockTransition {
  readonly activates: readonly Fork[]
  /** Deposits forced in after L1 info and user deposits, encoded. */
  readonly upgradeTransactions: readonly Uint8Array[]
  /** The format of L1 info lags one block behind its fork. */
  readonly l1InfoFormat: L1InfoFormat
  /** False: a batch for this block with user transactions is dropped (Jovian and later activations). */
  readonly userTransactionsAllowed: boolean
  /** Gas added to this block's limit for the upgrade bundle (Karst), and taken off again in the next block. */
  readonly upgradeGas: bigint
  /** True on chains whose history kept the added gas in the limit (`keep_karst_upgrade_gas`). */
  readonly keepsUpgradeGas: boolean
  /** Code that the fork sets directly (Canyon's create2Deployer), in the block with the timestamp of the fork. */
  readonly irregularCode: readonly { readonly address: Address; readonly code: Uint8Array }[]
}

/** What differs from chain to chain, for the forks whose parameters come from configuration. */
export interface ChainConstants {
  /** `channel_timeout` of the rollup config, in force before Granite. */
  readonly channelTimeoutL1Blocks: number
  readonly baseFee: BaseFeeConstants
  readonly baseFeeCanyon: BaseFeeConstants
}

/** Changed parameters, or how to get them from the chain's constants. */
export type RuleChanges<T> = Partial<T> | ((chain: ChainConstants) => Partial<T>)

/** One fork's changes against the one before. */
export interface ForkDefinition {
  readonly name: Fork
  /** Its time stands under this key of rollup.json and genesis.json, as `base: { azul: ... }`; absent: under a key of its own. */
  readonly configGroup?: 'base'
  readonly inclusion?: RuleChanges<InclusionRules>
  readonly origin?: RuleChanges<OriginRules>
  readonly block?: RuleChanges<BlockRules>
  /** Encoded deposits of the activation block, as hex: the form of the forks before upgrade bundles. */
  readonly upgradeTransactions?: readonly string[]
  /** Upgrade transactions with gas of their own. A private network may replace them (ForkScheduleOptions). */
  readonly upgradeBundle?: () => UpgradeBundle
  readonly userTransactionsInActivationBlock?: boolean
  readonly irregularCode?: BlockTransition['irregularCode']
}

/** Immutable; folded from the fork definitions and the activation times at load. */
export interface ForkSchedule {
  /** The forks of this chain in order, whether they are scheduled or not. */
  readonly lineage: readonly Fork[]
  /** Null when not scheduled; 0 or below genesis time means active at genesis. */
  activationTimeSec(fork: Fork): number | null
  forkAt(block: L2TimeSec): Fork
  inclusionRules(l1Inclusion: InclusionTimeSec): InclusionRules
  originRules(l1Origin: OriginTimeSec): OriginRules
  blockRules(l2Block: L2TimeSec): BlockRules
  /** `parent` null for genesis, which has no transition: a fork active at genesis needs no upgrade. */
  transition(parent: L2TimeSec | null, block: L2TimeSec): BlockTransition
}
