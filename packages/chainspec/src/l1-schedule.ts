/** Rules of an L1 chain's blocks by number and time: for public L1 vectors, and for simulating L1. */
import { ethParameters } from './forks/eth-parameters.ts'
import { L1_FORK_RULES } from './forks/l1-forks.ts'
import { type BlobParameters, blobParametersAt, type L1ChainConfig } from './l1-chain.ts'
import { type BlockRules, ETH_FORKS, type EthFork } from './rules.ts'

export interface L1Schedule {
  forkAt(blockNumber: number, timestampSec: number): EthFork
  /** Frozen; the same object for blocks under the same rules. */
  blockRules(blockNumber: number, timestampSec: number): BlockRules
}

const ZERO_BYTE_GAS = 4n
/** EIP-7623. */
const TOKENS_PER_NON_ZERO_BYTE = 4n

/** Blob parameters each fork brought to Ethereum's main network (EIP-4844, EIP-7691). */
export const MAINNET_BLOB_PARAMETERS: Readonly<Partial<Record<EthFork, Omit<BlobParameters, 'fromTimeSec'>>>> = {
  cancun: { name: 'cancun', target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n },
  prague: { name: 'prague', target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
  osaka: { name: 'osaka', target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
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

/** What a sender of L1 transactions has to know. */
export interface L1TransactionRules {
  /** 0 where L1 has no blobs. */
  readonly maxBlobsPerTransaction: number
  /** Whether blobs are sent with the proofs of their cells (EIP-7594). */
  readonly cellProofs: boolean
  readonly zeroByteGas: bigint
  readonly nonZeroByteGas: bigint
}

/** At a time; of a transaction that does nothing but carry data, for which EIP-7623's floor is what it pays. */
export function l1TransactionRules(config: L1ChainConfig, timestampSec: number): L1TransactionRules {
  const eth = ethParameters(createL1Schedule(config).forkAt(Number.MAX_SAFE_INTEGER, timestampSec))
  const maxPerBlock = blobParametersAt(config, timestampSec)?.max ?? 0
  const floor = eth.floorGasPerToken
  return {
    maxBlobsPerTransaction: Math.min(maxPerBlock, eth.maxBlobsPerTransaction ?? maxPerBlock),
    cellProofs: eth.cellProofs,
    zeroByteGas: floor ?? ZERO_BYTE_GAS,
    nonZeroByteGas: floor === null ? eth.nonZeroDataByteGas : floor * TOKENS_PER_NON_ZERO_BYTE,
  }
}

/** Rules of one L1 fork by name, with the blob parameters it has on Ethereum's main network. */
export function l1ForkRules(fork: EthFork): BlockRules {
  const blobs = MAINNET_BLOB_PARAMETERS[fork]
  return withBlobs(fork, blobs === undefined ? null : { ...blobs, fromTimeSec: 0 })
}

function withBlobs(fork: EthFork, blobParameters: BlobParameters | null): BlockRules {
  const rules = L1_FORK_RULES.get(fork) as BlockRules
  return rules.blobFields ? Object.freeze({ ...rules, blobParameters }) : rules
}

/** Every fork up to and including `fork` from the first block on, with the main network's blob parameters. */
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
  }
}
