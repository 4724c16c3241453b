/**
 * Rules of an L1 chain's blocks by number and time: for public L1 vectors, and for simulating L1. Those of Amsterdam say
 * which fields a header has; executing under them is refused by the engine.
 */
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
/** EIP-7623, EIP-7976. */
const TOKENS_PER_NON_ZERO_BYTE = 4n

/** Blob parameters that each fork has on Ethereum's main network (EIP-4844, EIP-7691, EIP-7892). */
export const MAINNET_BLOB_PARAMETERS: Readonly<Partial<Record<EthFork, Omit<BlobParameters, 'fromTimeSec'>>>> = {
  cancun: { name: 'cancun', target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n },
  prague: { name: 'prague', target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
  osaka: { name: 'osaka', target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
  // Amsterdam brings none of its own and follows bpo2 on every public chain: go-ethereum params/chainspecs/sepolia.json
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

/** What a sender of L1 transactions has to know. */
export interface L1TransactionRules {
  /** 0 where L1 has no blobs. */
  readonly maxBlobsPerTransaction: number
  /** Whether blobs are sent with the proofs of their cells (EIP-7594). */
  readonly cellProofs: boolean
  /** Gas of a call without value and without data. */
  readonly transactionGas: bigint
  readonly zeroByteGas: bigint
  readonly nonZeroByteGas: bigint
  /** Most gas that a transaction may need for its data; null for no limit. */
  readonly maxTransactionGas: bigint | null
}

/**
 * The rules at a time, for a transaction that does nothing but carry data to another account: it pays the floor of EIP-7623,
 * from Amsterdam 64 gas for each byte (EIP-7976) on a base of 15,000 (EIP-2780). Such a transaction creates no state, so it
 * pays no state gas (EIP-8037); the gas of calls that do is for the L1 node to estimate.
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
    firstUnsupportedFork: null,
  }
}
