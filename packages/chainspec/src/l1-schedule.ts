/** Rules of L1 blocks by number and time, for public L1 vectors and for simulating L1. */
import { ethParameters } from './forks/eth-parameters.ts'
import { L1_FORK_RULES } from './forks/l1-forks.ts'
import { type BlobParameters, blobParametersAt, type L1ChainConfig } from './l1-chain.ts'
import { type BlockRules, ETH_FORKS, type EthFork } from './rules.ts'

export interface L1Schedule {
  forkAt(blockNumber: number, timestampSec: number): EthFork
  /** Returns the same frozen object for all blocks with the same rules. */
  blockRules(blockNumber: number, timestampSec: number): BlockRules
}

const ZERO_BYTE_GAS = 4n
/** EIP-7623, EIP-7976. */
const TOKENS_PER_NON_ZERO_BYTE = 4n

/** EIP-4844, EIP-7691, EIP-7892. */
export const MAINNET_BLOB_PARAMETERS: Readonly<Partial<Record<EthFork, Omit<BlobParameters, 'fromTimeSec'>>>> = {
  cancun: { name: 'cancun', target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n },
  prague: { name: 'prague', target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
  osaka: { name: 'osaka', target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
  // Amsterdam follows bpo2 on every public chain: go-ethereum params/chainspecs/sepolia.json
  amsterdam: { name: 'amsterdam', target: 14, max: 21, baseFeeUpdateFraction: 11_684_671n },
}

export function createL1Schedule(config: L1ChainConfig): L1Schedule {
  const cache = new Map<string, BlockRules>()
  const forkAt = (blockNumber: number, timestampSec: number): EthFork => {
    let active: EthFork = 'frontier'
    for (const { fork, fromBlock, fromTimeSec } of config.forks) {
      const on = fromBlock !== null ? blockNumber >= fromBlock : fromTimeSec !== null && timestampSec >= fromTimeSec
      if (on && ETH_FORKS.indexOf(fork) > ETH_FORKS.indexOf(active)) active = fork
    }
    return active
  }
  return {
    forkAt,
    blockRules(blockNumber, timestampSec) {
      const fork = forkAt(blockNumber, timestampSec)
      const blobParameters = blobParametersAt(config, timestampSec)
      const key = `${fork}/${blobParameters?.name}`
      const rules = cache.get(key) ?? withBlobs(fork, blobParameters)
      cache.set(key, rules)
      return rules
    },
  }
}

/** Rules for a sender of L1 transactions. */
export interface L1TransactionRules {
  readonly maxBlobsPerTransaction: number
  /** EIP-7594. */
  readonly cellProofs: boolean
  /** For a call without value or data. */
  readonly transactionGas: bigint
  readonly zeroByteGas: bigint
  readonly nonZeroByteGas: bigint
  readonly maxTransactionGas: bigint | null
}

/**
 * Rules for a transaction that only carries data: it pays the floor of EIP-7623, from Amsterdam 64 gas per byte (EIP-7976) on a
 * base of 15,000 (EIP-2780), and no state gas (EIP-8037).
 */
export function l1TransactionRules(config: L1ChainConfig, timestampSec: number): L1TransactionRules {
  const eth = ethParameters(createL1Schedule(config).forkAt(Number.MAX_SAFE_INTEGER, timestampSec))
  const maxPerBlock = blobParametersAt(config, timestampSec)?.max ?? 0
  const floor = eth.floorGasPerToken
  return {
    maxBlobsPerTransaction: Math.min(maxPerBlock, eth.maxBlobsPerTransaction ?? maxPerBlock),
    cellProofs: eth.cellProofs,
    transactionGas: eth.callTransactionGas,
    zeroByteGas: floor === null ? ZERO_BYTE_GAS : floor * eth.floorTokensPerZeroByte,
    nonZeroByteGas: floor === null ? eth.nonZeroDataByteGas : floor * TOKENS_PER_NON_ZERO_BYTE,
    maxTransactionGas: eth.maxTransactionGas,
  }
}

/** Rules of one L1 fork with mainnet's blob parameters. */
export function l1ForkRules(fork: EthFork): BlockRules {
  const blobs = MAINNET_BLOB_PARAMETERS[fork]
  return withBlobs(fork, blobs === undefined ? null : { ...blobs, fromTimeSec: 0 })
}

function withBlobs(fork: EthFork, blobParameters: BlobParameters | null): BlockRules {
  const rules = L1_FORK_RULES.get(fork) as BlockRules
  return rules.blobFields ? Object.freeze({ ...rules, blobParameters }) : rules
}

/** Schedules every fork up to `fork` at genesis, with mainnet's blob parameters. */
export function l1ConfigAtGenesis(chainId: bigint, fork: EthFork): L1ChainConfig {
  const active = ETH_FORKS.slice(0, ETH_FORKS.indexOf(fork) + 1)
  return {
    chainId,
    forks: active.map((name) =>
      ETH_FORKS.indexOf(name) >= ETH_FORKS.indexOf('shanghai')
        ? { fork: name, fromBlock: null, fromTimeSec: 0 }
        : { fork: name, fromBlock: 0, fromTimeSec: null },
    ),
    blobSchedule: active.flatMap((name) => {
      const parameters = MAINNET_BLOB_PARAMETERS[name]
      return parameters === undefined ? [] : [{ ...parameters, fromTimeSec: 0 }]
    }),
    firstUnsupportedFork: null,
  }
}
