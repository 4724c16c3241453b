/**
 * The parent chain's own schedule: its forks and its blob parameters. The blob base fee in L1 info
 * depends on it, so it is part of a network's configuration (l1-chain.json, in geth's `config` form).
 */
import type { OriginTimeSec } from '@keelson/primitives'
import type { RollupConfig } from './rollup-config.ts'
import type { EthFork } from './rules.ts'
import type { UnsupportedFork } from './unsupported-fork.ts'

/** EIP-7840 / EIP-7892 blob parameters in force from `fromTimeSec`. */
export interface BlobParameters {
  readonly fromTimeSec: number
  readonly target: number
  readonly max: number
  readonly baseFeeUpdateFraction: bigint
  /** Name as configured: cancun, prague, osaka, amsterdam, bpo1, ... */
  readonly name: string
}

export interface L1ChainConfig {
  readonly chainId: bigint
  /** In order of activation; by block number up to Paris, by time from Shanghai. */
  readonly forks: readonly { readonly fork: EthFork; readonly fromBlock: number | null; readonly fromTimeSec: number | null }[]
  /** Ascending by time; empty when the chain has no blobs. */
  readonly blobSchedule: readonly BlobParameters[]
  /** The earliest scheduled fork that this release does not implement; null when it implements all of them. */
  readonly firstUnsupportedFork: UnsupportedFork | null
}

/** Gas of one blob (EIP-4844). */
export const GAS_PER_BLOB = 131_072n
const MIN_BLOB_BASE_FEE_WEI = 1n

/** Null before blobs. */
export function blobParametersAt(config: L1ChainConfig, timestampSec: number): BlobParameters | null {
  let found: BlobParameters | null = null
  for (const parameters of config.blobSchedule) if (parameters.fromTimeSec <= timestampSec) found = parameters
  return found
}

/**
 * The parameters by which L1 info states the blob base fee of an origin: L1's own, except that some
 * chains kept Cancun's for a while. specs: protocol/pectra-blob-schedule/derivation.md
 */
export function originBlobParameters(l1: L1ChainConfig, rollup: RollupConfig, origin: OriginTimeSec): BlobParameters | null {
  const own = blobParametersAt(l1, origin)
  const until = rollup.pectraBlobScheduleTimeSec
  if (until === null || origin >= until) return own
  return l1.blobSchedule.find((parameters) => parameters.name === 'cancun') ?? own
}

const MAX_UINT256 = (1n << 256n) - 1n
/** The least whole number with e^n above 2^256. */
const MAX_EXPONENT = 178n

/**
 * Wei per blob gas at this excess (EIP-4844); 1 where there are no blobs. At most 2^256 - 1, which no field and no account can
 * exceed: an L1 node may state any excess, and the series for 2^64 - 1 has about 10^12 terms.
 */
export function blobBaseFeeWei(excessBlobGas: bigint, parameters: BlobParameters | null): bigint {
  if (parameters === null) return MIN_BLOB_BASE_FEE_WEI
  if (excessBlobGas >= MAX_EXPONENT * parameters.baseFeeUpdateFraction) return MAX_UINT256
  const feeWei = fakeExponential(MIN_BLOB_BASE_FEE_WEI, excessBlobGas, parameters.baseFeeUpdateFraction)
  return feeWei < MAX_UINT256 ? feeWei : MAX_UINT256
}

/** factor * e^(numerator / denominator) by its series, in whole numbers as EIP-4844 defines it. */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let output = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}
