/** The L1 chain's forks and blob parameters. The blob base fee in L1 info depends on them. */
import type { OriginTimeSec } from '@keelson/primitives'
import type { RollupConfig } from './rollup-config.ts'
import type { EthFork } from './rules.ts'
import type { UnsupportedFork } from './unsupported-fork.ts'

/** EIP-7840, EIP-7892. */
export interface BlobParameters {
  readonly fromTimeSec: number
  readonly target: number
  readonly max: number
  readonly baseFeeUpdateFraction: bigint
  /** The fork's name: cancun, prague, osaka, amsterdam, bpo1, ... */
  readonly name: string
}

export interface L1ChainConfig {
  readonly chainId: bigint
  /** Forks up to Paris have a block number, those from Shanghai a time. */
  readonly forks: readonly { readonly fork: EthFork; readonly fromBlock: number | null; readonly fromTimeSec: number | null }[]
  /** Ascending by time. */
  readonly blobSchedule: readonly BlobParameters[]
  readonly firstUnsupportedFork: UnsupportedFork | null
}

export const GAS_PER_BLOB = 131_072n
const MIN_BLOB_BASE_FEE_WEI = 1n

/** Returns null before the first fork with blobs. */
export function blobParametersAt(config: L1ChainConfig, timestampSec: number): BlobParameters | null {
  let found: BlobParameters | null = null
  for (const parameters of config.blobSchedule) if (parameters.fromTimeSec <= timestampSec) found = parameters
  return found
}

/**
 * Returns the parameters for the blob base fee in L1 info: L1's own, except that some chains kept Cancun's until a given time.
 * specs: protocol/pectra-blob-schedule/derivation.md
 */
export function originBlobParameters(l1: L1ChainConfig, rollup: RollupConfig, origin: OriginTimeSec): BlobParameters | null {
  const own = blobParametersAt(l1, origin)
  const until = rollup.pectraBlobScheduleTimeSec
  if (until === null || origin >= until) return own
  return l1.blobSchedule.find((parameters) => parameters.name === 'cancun') ?? own
}

const MAX_UINT256 = (1n << 256n) - 1n
/** The smallest n with e^n above 2^256. */
const MAX_EXPONENT = 178n

/**
 * Wei per blob gas (EIP-4844), capped at 2^256 - 1: an L1 node may return any excess, and the series for 2^64 - 1 has about 10^12
 * terms.
 */
export function blobBaseFeeWei(excessBlobGas: bigint, parameters: BlobParameters | null): bigint {
  if (parameters === null) return MIN_BLOB_BASE_FEE_WEI
  if (excessBlobGas >= MAX_EXPONENT * parameters.baseFeeUpdateFraction) return MAX_UINT256
  const feeWei = fakeExponential(MIN_BLOB_BASE_FEE_WEI, excessBlobGas, parameters.baseFeeUpdateFraction)
  return feeWei < MAX_UINT256 ? feeWei : MAX_UINT256
}

/** factor * e^(numerator / denominator) in integers (EIP-4844). */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let output = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}
