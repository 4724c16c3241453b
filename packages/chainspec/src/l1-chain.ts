/** The parent chain's own schedule: which forks and which blob parameters, for the blob base fee in L1 info. */
import type { EthFork } from './rules.ts'

/** EIP-7840 / EIP-7892 blob parameters in force from `fromTimeSec`. */
export interface BlobParameters {
  readonly fromTimeSec: number
  readonly target: number
  readonly max: number
  readonly baseFeeUpdateFraction: bigint
  /** Name as configured: cancun, prague, osaka, bpo1, ... */
  readonly name: string
}

export interface L1ChainConfig {
  readonly chainId: bigint
  readonly forks: readonly { readonly fork: EthFork; readonly fromBlock: number | null; readonly fromTimeSec: number | null }[]
  /** Ascending by time; empty when the chain has no blobs. */
  readonly blobSchedule: readonly BlobParameters[]
}
