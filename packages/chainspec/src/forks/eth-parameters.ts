/** What an L1 fork means for transactions and fees, folded fork by fork; opcodes and precompiles are the engine's. */
import { ETH_FORKS, type EthFork } from '../rules.ts'

export interface EthParameters {
  /** Paris: no difficulty, nonce or ommers in headers, no block rewards. */
  readonly proofOfStake: boolean
  /** Under proof of work: how fast the difficulty follows the time between blocks (EIPs 2 and 100). */
  readonly difficultyFormula: 'step' | 'elapsed' | 'elapsed-and-ommers'
  /** Blocks by which the exponential part of the difficulty was put off (EIPs 649, 1234, 2384, 3554). */
  readonly difficultyDelayBlocks: number
  /** EIP-2: the `s` of a transaction's signature is at most half the curve's order. */
  readonly lowSignatures: boolean
  /** EIP-155: a signature may name its chain. */
  readonly replayProtection: boolean
  /** Gas of a transaction that creates a contract, before its data: 53,000 from Homestead, 24,000 from EIP-2780. */
  readonly createTransactionGas: bigint
  /** EIP-2028. */
  readonly nonZeroDataByteGas: bigint
  /** EIP-2718, EIP-2930. */
  readonly accessListTransactions: boolean
  /** EIP-1559. */
  readonly feeMarketTransactions: boolean
  /** At most this part of the used gas is refunded: a half, from London a fifth (EIP-3529). */
  readonly refundQuotient: bigint
  /** EIP-3651. */
  readonly warmFeeRecipient: boolean
  /** EIP-3860: most bytes of init code; null before. */
  readonly maxInitCodeBytes: number | null
  readonly initCodeWordGas: bigint
  /** EIP-6780: only contracts created in the same transaction can be destroyed. */
  readonly destroysOnlyNewContracts: boolean
  /** EIP-7623: gas per token of data that a transaction uses at least; null before. */
  readonly floorGasPerToken: bigint | null
  /** Tokens of a zero byte for that floor: 1, from EIP-7976 as many as another byte has. */
  readonly floorTokensPerZeroByte: bigint
  /** Gas of a transaction that calls another account without value, before its data: 21,000, and less from EIP-2780. */
  readonly callTransactionGas: bigint
  /**
   * EIP-7825: most gas that a transaction may ask for. From EIP-8037 it may ask for more, as its state gas, and the limit
   * is on its intrinsic gas and on the floor for its data. Null before.
   */
  readonly maxTransactionGas: bigint | null
  /** EIP-8037: gas for each byte by which a transaction makes the state grow; null before. */
  readonly stateByteGas: bigint | null
  /** EIP-7918: the blob price does not fall below a part of the execution price. */
  readonly blobReservePrice: boolean
  /** EIP-7594: most blobs of one transaction; null when only the block limits them. */
  readonly maxBlobsPerTransaction: number | null
  /** EIP-7594: blobs travel with the proofs of their cells in place of one proof each. */
  readonly cellProofs: boolean
}

const FRONTIER: EthParameters = {
  proofOfStake: false,
  difficultyFormula: 'step',
  difficultyDelayBlocks: 0,
  lowSignatures: false,
  replayProtection: false,
  createTransactionGas: 21_000n,
  nonZeroDataByteGas: 68n,
  accessListTransactions: false,
  feeMarketTransactions: false,
  refundQuotient: 2n,
  warmFeeRecipient: false,
  maxInitCodeBytes: null,
  initCodeWordGas: 0n,
  destroysOnlyNewContracts: false,
  floorGasPerToken: null,
  floorTokensPerZeroByte: 1n,
  callTransactionGas: 21_000n,
  maxTransactionGas: null,
  stateByteGas: null,
  blobReservePrice: false,
  maxBlobsPerTransaction: null,
  cellProofs: false,
}

const CHANGES: Readonly<Partial<Record<EthFork, Partial<EthParameters>>>> = {
  homestead: { lowSignatures: true, createTransactionGas: 53_000n, difficultyFormula: 'elapsed' },
  spurious: { replayProtection: true },
  byzantium: { difficultyFormula: 'elapsed-and-ommers', difficultyDelayBlocks: 3_000_000 },
  constantinople: { difficultyDelayBlocks: 5_000_000 },
  istanbul: { nonZeroDataByteGas: 16n },
  berlin: { accessListTransactions: true, difficultyDelayBlocks: 9_000_000 },
  london: { feeMarketTransactions: true, refundQuotient: 5n, difficultyDelayBlocks: 9_700_000 },
  paris: { proofOfStake: true },
  shanghai: { warmFeeRecipient: true, maxInitCodeBytes: 49_152, initCodeWordGas: 2n },
  cancun: { destroysOnlyNewContracts: true },
  prague: { floorGasPerToken: 10n },
  osaka: { blobReservePrice: true, maxBlobsPerTransaction: 6, cellProofs: true, maxTransactionGas: 16_777_216n },
  // EIP-2780: TX_BASE_COST 12,000 and COLD_ACCOUNT_ACCESS 3,000, or CREATE_ACCESS 12,000. EIP-7976: 16 gas per token.
  // EIP-7954: init code of twice 65,536 bytes.
  amsterdam: {
    callTransactionGas: 15_000n,
    createTransactionGas: 24_000n,
    floorGasPerToken: 16n,
    floorTokensPerZeroByte: 4n,
    stateByteGas: 1_530n,
    maxInitCodeBytes: 131_072,
  },
}

const FOLDED: ReadonlyMap<EthFork, EthParameters> = fold()

function fold(): ReadonlyMap<EthFork, EthParameters> {
  const folded = new Map<EthFork, EthParameters>()
  let current = FRONTIER
  for (const fork of ETH_FORKS) {
    current = Object.freeze({ ...current, ...CHANGES[fork] })
    folded.set(fork, current)
  }
  return folded
}

export function ethParameters(fork: EthFork): EthParameters {
  return FOLDED.get(fork) as EthParameters
}
