/** Limit on a transaction's fee, excluding its value. */
export interface FeeLimit {
  readonly wei: bigint
  readonly option: string
}

export interface CostLimits {
  readonly maxCostWei: bigint
  readonly maxCostOption?: string
  readonly maxFee?: FeeLimit | null
  /** Rest of the hourly limit, not counting nonce `except`; null when there is no limit. */
  leftWei(except: bigint | null): bigint | null
}

export interface Cost {
  readonly costWei: bigint
  readonly valueWei: bigint
  readonly gasLimit: bigint
  /** Nonce of the transaction if it is already pending. */
  readonly nonce: bigint | null
}

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
