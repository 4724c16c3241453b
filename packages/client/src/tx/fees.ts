/** EIP-1559, EIP-4844; geth's pool rules */
import type { ChainName } from './chain-name.ts'

export interface TransactionFees {
  readonly maxFeePerGasWei: bigint
  readonly maxPriorityFeePerGasWei: bigint
  readonly maxFeePerBlobGasWei: bigint | null
}

export interface FeeQuote {
  readonly baseFeeWei: bigint
  readonly tipWei: bigint
  readonly blobBaseFeeWei: bigint | null
}

export interface FeePolicy {
  readonly minTipWei: bigint
  readonly minBaseFeeWei: bigint
  /** Pools may refuse blobs below it whatever the price. */
  readonly minBlobFeeCapWei: bigint
  readonly maxBaseFeeWei: bigint | null
  readonly maxBlobBaseFeeWei: bigint | null
  /** Above this tip nothing is sent or raised. */
  readonly tipCap?: TipCap | null
  /** Limits raises to this multiple of a new transaction's fees; 0: no limit. */
  readonly limitMultiplier: bigint
  /** Prices below this are raised regardless of the multiplier. */
  readonly limitThresholdWei: bigint
}

/** A tip is paid in full, so it may not exceed this multiple of the base fee, or the floor if higher. */
export interface TipCap {
  readonly baseFeeMultiple: bigint
  readonly floorWei: bigint
  readonly option: string
}

export const DEFAULT_TIP_CAP = { baseFeeMultiple: 2n, floorWei: 10n * 10n ** 9n } as const

export const UNLIMITED_FEES: FeePolicy = {
  minTipWei: 0n,
  minBaseFeeWei: 0n,
  minBlobFeeCapWei: 0n,
  maxBaseFeeWei: null,
  maxBlobBaseFeeWei: null,
  limitMultiplier: 0n,
  limitThresholdWei: 0n,
}

/** Minimum raises that pools accept. */
const BUMP_PERCENT = 10n
const BLOB_BUMP_PERCENT = 100n
/** After six full blocks in a row, the base fee has about doubled. */
const BASE_FEE_MARGIN = 2n
const BLOB_GAS_PER_BLOB = 131_072n

export function suggestFees(quote: FeeQuote, policy: FeePolicy): TransactionFees {
  const tipWei = max(quote.tipWei, policy.minTipWei)
  const { blobBaseFeeWei } = quote
  return {
    maxPriorityFeePerGasWei: tipWei,
    maxFeePerGasWei: max(quote.baseFeeWei, policy.minBaseFeeWei) * BASE_FEE_MARGIN + tipWei,
    maxFeePerBlobGasWei: blobBaseFeeWei === null ? null : max(blobBaseFeeWei * BASE_FEE_MARGIN, policy.minBlobFeeCapWei),
  }
}

export function priceRefusal(chain: ChainName, quote: FeeQuote, policy: FeePolicy): string | null {
  const checks: readonly (readonly [string, bigint | null, bigint | null, string])[] = [
    ['base fee', quote.baseFeeWei, policy.maxBaseFeeWei, '--txmgr.max-basefee'],
    ['blob base fee', quote.blobBaseFeeWei, policy.maxBlobBaseFeeWei, '--txmgr.max-blob-basefee'],
  ]
  for (const [what, nowWei, limitWei, flag] of checks) {
    if (nowWei !== null && limitWei !== null && nowWei > limitWei) return `${chain}'s ${what} is ${nowWei} wei, ${flag} allows ${limitWei}`
  }
  return tipRefusal(chain, suggestFees(quote, policy).maxPriorityFeePerGasWei, quote, policy)
}

function tipRefusal(chain: ChainName, tipWei: bigint, { baseFeeWei, tipWei: askedWei }: FeeQuote, { tipCap }: FeePolicy): string | null {
  if (tipCap == null) return null
  const capWei = max(baseFeeWei * tipCap.baseFeeMultiple, tipCap.floorWei)
  if (tipWei <= capWei) return null
  const offer = tipWei > askedWei ? `the offer would have to be ${tipWei}, ` : ''
  return `the node of ${chain} asks for a tip of ${askedWei} wei a unit of gas at a base fee of ${baseFeeWei}, ${offer}the cap is ${capWei} (${tipCap.option})`
}

export function raiseRefusal(chain: ChainName, fees: TransactionFees, quote: FeeQuote, policy: FeePolicy): string | null {
  const refusal = priceRefusal(chain, quote, policy) ?? tipRefusal(chain, fees.maxPriorityFeePerGasWei, quote, policy)
  if (refusal !== null || policy.limitMultiplier === 0n) return refusal
  const now = suggestFees(quote, policy)
  const beyond = (offer: bigint, suggested: bigint) => offer > policy.limitThresholdWei && offer > suggested * policy.limitMultiplier
  const over =
    beyond(fees.maxFeePerGasWei, now.maxFeePerGasWei) ||
    beyond(fees.maxPriorityFeePerGasWei, now.maxPriorityFeePerGasWei) ||
    beyond(fees.maxFeePerBlobGasWei ?? 0n, now.maxFeePerBlobGasWei ?? fees.maxFeePerBlobGasWei ?? 0n)
  return over ? `its price would be over ${policy.limitMultiplier} times what ${chain} asks for now (--fee-limit-multiplier)` : null
}

/** Returns at least the minimum replacement and at least a new transaction's fees. */
export function bumpFees(before: TransactionFees, quote: FeeQuote, policy: FeePolicy): TransactionFees {
  const percent = before.maxFeePerBlobGasWei === null ? BUMP_PERCENT : BLOB_BUMP_PERCENT
  const now = suggestFees(quote, policy)
  const raise = (old: bigint, wanted: bigint) => max(raised(old, percent), wanted)
  return {
    maxPriorityFeePerGasWei: raise(before.maxPriorityFeePerGasWei, now.maxPriorityFeePerGasWei),
    maxFeePerGasWei: raise(before.maxFeePerGasWei, now.maxFeePerGasWei),
    maxFeePerBlobGasWei: before.maxFeePerBlobGasWei === null ? null : raise(before.maxFeePerBlobGasWei, now.maxFeePerBlobGasWei ?? 0n),
  }
}

export function maxCostWei(fees: TransactionFees, gasLimit: bigint, blobCount: number, valueWei: bigint): bigint {
  const blobGas = BigInt(blobCount) * BLOB_GAS_PER_BLOB
  return gasLimit * fees.maxFeePerGasWei + blobGas * (fees.maxFeePerBlobGasWei ?? 0n) + valueWei
}

function raised(value: bigint, percent: bigint): bigint {
  return max((value * (100n + percent) + 99n) / 100n, value + 1n)
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
