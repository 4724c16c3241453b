import { ETH_FORKS, type EthFork } from '../rules.ts'

export interface EthParameters {
  readonly proofOfStake: boolean
  /** EIPs 2 and 100. */
  readonly difficultyFormula: 'step' | 'elapsed' | 'elapsed-and-ommers'
  /** EIPs 649, 1234, 2384, 3554. */
  readonly difficultyDelayBlocks: number
  /** EIP-2: `s` is at most half the curve's order. */
  readonly lowSignatures: boolean
  /** EIP-155. */
  readonly replayProtection: boolean
  /** Without the cost of data. */
  readonly createTransactionGas: bigint
  /** EIP-2028. */
  readonly nonZeroDataByteGas: bigint
  /** EIP-2718, EIP-2930. */
  readonly accessListTransactions: boolean
  /** EIP-1559. */
  readonly feeMarketTransactions: boolean
  /** EIP-3529. */
  readonly refundQuotient: bigint
  /** EIP-3651. */
  readonly warmFeeRecipient: boolean
  /** EIP-3860. */
  readonly maxInitCodeBytes: number | null
  readonly initCodeWordGas: bigint
  /** EIP-6780. */
  readonly destroysOnlyNewContracts: boolean
  /** EIP-7623. */
  readonly floorGasPerToken: bigint | null
  /** 1 in EIP-7623; as for other bytes from EIP-7976. */
  readonly floorTokensPerZeroByte: bigint
  /** For a call without value or data (EIP-2780). */
  readonly callTransactionGas: bigint
  /** EIP-7825; from EIP-8037 for the intrinsic gas and the data floor only. */
  readonly maxTransactionGas: bigint | null
  /** EIP-8037. */
  readonly stateByteGas: bigint | null
  /** EIP-7918. */
  readonly blobReservePrice: boolean
  /** EIP-7594; null when only the block's limit applies. */
  readonly maxBlobsPerTransaction: number | null
  /** EIP-7594. */
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
  // EIPs 2780, 7976, 7954.
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
