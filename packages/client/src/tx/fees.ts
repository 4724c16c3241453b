/** What to offer for a transaction, and what a replacement must offer. EIP-1559, EIP-4844; pool rules of geth. */
export interface TransactionFees {
  readonly maxFeePerGasWei: bigint
  readonly maxPriorityFeePerGasWei: bigint
  /** Null for transactions without blobs. */
  readonly maxFeePerBlobGasWei: bigint | null
}

/** Prices at the head of L1. */
export interface FeeQuote {
  readonly baseFeeWei: bigint
  readonly tipWei: bigint
  /** Null when not asked for. */
  readonly blobBaseFeeWei: bigint | null
}

/** Pools refuse a replacement that raises any of its prices by less. */
const BUMP_PERCENT = 10n
const BLOB_BUMP_PERCENT = 100n
/** Twice the base fee stays valid through six full blocks. */
const BASE_FEE_MARGIN = 2n
const BLOB_GAS_PER_BLOB = 131_072n

export function suggestFees(quote: FeeQuote): TransactionFees {
  return {
    maxPriorityFeePerGasWei: quote.tipWei,
    maxFeePerGasWei: quote.baseFeeWei * BASE_FEE_MARGIN + quote.tipWei,
    maxFeePerBlobGasWei: quote.blobBaseFeeWei === null ? null : quote.blobBaseFeeWei * BASE_FEE_MARGIN,
  }
}

/** At least what pools ask of a replacement, and at least what a new transaction would offer now. */
export function bumpFees(before: TransactionFees, quote: FeeQuote): TransactionFees {
  const percent = before.maxFeePerBlobGasWei === null ? BUMP_PERCENT : BLOB_BUMP_PERCENT
  const now = suggestFees(quote)
  const raise = (old: bigint, wanted: bigint) => max(raised(old, percent), wanted)
  return {
    maxPriorityFeePerGasWei: raise(before.maxPriorityFeePerGasWei, now.maxPriorityFeePerGasWei),
    maxFeePerGasWei: raise(before.maxFeePerGasWei, now.maxFeePerGasWei),
    maxFeePerBlobGasWei: before.maxFeePerBlobGasWei === null ? null : raise(before.maxFeePerBlobGasWei, now.maxFeePerBlobGasWei ?? 0n),
  }
}

/** The most a transaction can cost, its value included, in wei. */
export function maxCostWei(fees: TransactionFees, gasLimit: bigint, blobCount: number, valueWei: bigint): bigint {
  const blobGas = BigInt(blobCount) * BLOB_GAS_PER_BLOB
  return gasLimit * fees.maxFeePerGasWei + blobGas * (fees.maxFeePerBlobGasWei ?? 0n) + valueWei
}

/** Rounded up, and by at least one wei: ten percent of nothing is nothing. */
function raised(value: bigint, percent: bigint): bigint {
  return max((value * (100n + percent) + 99n) / 100n, value + 1n)
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
