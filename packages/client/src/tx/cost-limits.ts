/** Limit on the fee of one transaction, without its value. */
export interface FeeLimit {
  readonly wei: bigint
  /** The operator's option, for messages. */
  readonly option: string
}

export interface CostLimits {
  /** Worst-case limit of one transaction with its value. */
  readonly maxCostWei: bigint
  /** The operator's option, for messages. */
  readonly maxCostOption?: string
  readonly maxFee?: FeeLimit | null
  /** Returns the rest of the hourly limit without the transaction of the nonce `except`; null without a limit. */
  leftWei(except: bigint | null): bigint | null
}

export interface Cost {
  readonly costWei: bigint
  readonly valueWei: bigint
  readonly gasLimit: bigint
  /** The nonce of the transaction when it is already pending. */
  readonly nonce: bigint | null
}

/** Returns why a transaction with this worst-case cost may not be sent; null when it may. */
export function costRefusal(chain: string, limits: CostLimits, { costWei, valueWei, gasLimit, nonce }: Cost): string | null {
  const { maxFee = null } = limits
  const feeWei = costWei - valueWei
  if (maxFee !== null && feeWei > maxFee.wei) {
    return `its fee could be ${feeWei} wei (${gasLimit} gas at the prices that the node of ${chain} gives), the limit is ${maxFee.wei} (${maxFee.option})`
  }
  if (costWei > limits.maxCostWei) {
    const named = limits.maxCostOption === undefined ? '' : ` (${limits.maxCostOption})`
    return `it could cost ${costWei} wei, the limit is ${limits.maxCostWei}${named}`
  }
  const leftWei = limits.leftWei(nonce)
  if (leftWei === null || costWei <= leftWei) return null
  return `it could cost ${costWei} wei, ${leftWei > 0n ? leftWei : 0n} are left of what an hour may cost (--txmgr.max-spend-per-hour)`
}
