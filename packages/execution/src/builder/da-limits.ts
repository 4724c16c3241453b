/** How much of L1's space pool transactions may take, as the batcher sets it when L1 is slow (miner_setMaxDASize). */

export interface DaLimits {
  /** Of one transaction, estimated compressed bytes; null for no limit. */
  readonly maxTransactionBytes: bigint | null
  readonly maxBlockBytes: bigint | null
}

export const NO_DA_LIMITS: DaLimits = { maxTransactionBytes: null, maxBlockBytes: null }
