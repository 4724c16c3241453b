/** Set by the batcher when L1 is slow (miner_setMaxDASize). */

export interface DaLimits {
  readonly maxTransactionBytes: bigint | null
  readonly maxBlockBytes: bigint | null
}

export const NO_DA_LIMITS: DaLimits = { maxTransactionBytes: null, maxBlockBytes: null }
