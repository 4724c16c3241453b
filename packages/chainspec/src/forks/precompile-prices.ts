/** Yellow paper; EIP-196, 197, 198, 152, 1108, 2565, 4844, 2537, 7823, 7883. OP prices are block rules. */
import { ETH_FORKS, type EthFork } from '../rules.ts'
import { G1_MSM_DISCOUNTS, G2_MSM_DISCOUNTS } from './msm-discounts.ts'

export interface WordPrice {
  readonly base: bigint
  readonly word: bigint
}

export interface ModexpPrice {
  /** EIP-198, EIP-2565, EIP-7883. */
  readonly complexity: 'piecewise' | 'words' | 'double-words'
  readonly exponentByteIterations: bigint
  readonly divisor: bigint
  readonly minimum: bigint
  /** EIP-7823. */
  readonly maxOperandBytes: number | null
}

export interface Bn254Price {
  readonly add: bigint
  readonly multiply: bigint
  readonly pairingBase: bigint
  readonly pairingPair: bigint
}

export interface Bls12Price {
  readonly addG1: bigint
  readonly multiplyG1: bigint
  readonly addG2: bigint
  readonly multiplyG2: bigint
  readonly pairingBase: bigint
  readonly pairingPair: bigint
  readonly mapToG1: bigint
  readonly mapToG2: bigint
  /** Thousandths by number of points, then constant. */
  readonly discountsG1: readonly number[]
  readonly discountsG2: readonly number[]
}

/** Null when the fork lacks it. */
export interface PrecompilePrices {
  readonly ecrecover: bigint
  readonly sha256: WordPrice
  readonly ripemd160: WordPrice
  readonly identity: WordPrice
  readonly modexp: ModexpPrice | null
  readonly bn254: Bn254Price | null
  readonly blake2Round: bigint | null
  readonly pointEvaluation: bigint | null
  readonly bls12: Bls12Price | null
}

const FRONTIER: PrecompilePrices = {
  ecrecover: 3_000n,
  sha256: { base: 60n, word: 12n },
  ripemd160: { base: 600n, word: 120n },
  identity: { base: 15n, word: 3n },
  modexp: null,
  bn254: null,
  blake2Round: null,
  pointEvaluation: null,
  bls12: null,
}

const CHANGES: Readonly<Partial<Record<EthFork, Partial<PrecompilePrices>>>> = {
  byzantium: {
    modexp: { complexity: 'piecewise', exponentByteIterations: 8n, divisor: 20n, minimum: 0n, maxOperandBytes: null },
    bn254: { add: 500n, multiply: 40_000n, pairingBase: 100_000n, pairingPair: 80_000n },
  },
  istanbul: {
    bn254: { add: 150n, multiply: 6_000n, pairingBase: 45_000n, pairingPair: 34_000n },
    blake2Round: 1n,
  },
  berlin: { modexp: { complexity: 'words', exponentByteIterations: 8n, divisor: 3n, minimum: 200n, maxOperandBytes: null } },
  cancun: { pointEvaluation: 50_000n },
  prague: {
    bls12: {
      addG1: 375n,
      multiplyG1: 12_000n,
      addG2: 600n,
      multiplyG2: 22_500n,
      pairingBase: 37_700n,
      pairingPair: 32_600n,
      mapToG1: 5_500n,
      mapToG2: 23_800n,
      discountsG1: G1_MSM_DISCOUNTS,
      discountsG2: G2_MSM_DISCOUNTS,
    },
  },
  osaka: {
    modexp: { complexity: 'double-words', exponentByteIterations: 16n, divisor: 1n, minimum: 500n, maxOperandBytes: 1024 },
  },
}

const FOLDED: ReadonlyMap<EthFork, PrecompilePrices> = fold()

function fold(): ReadonlyMap<EthFork, PrecompilePrices> {
  const folded = new Map<EthFork, PrecompilePrices>()
  let current = FRONTIER
  for (const fork of ETH_FORKS) {
    current = Object.freeze({ ...current, ...CHANGES[fork] })
    folded.set(fork, current)
  }
  return folded
}

export function precompilePrices(fork: EthFork): PrecompilePrices {
  return FOLDED.get(fork) as PrecompilePrices
}
