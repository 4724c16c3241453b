/** First key bytes in the consensus client's store (0x80 to 0x9f). A number once used is never used for anything else. */
export const BUCKETS = {
  /** L1 block number (u64) -> L1 hash, L2 hash, L2 number: the safe head after that L1 block. */
  safeHeadByL1: 0x80,
} as const
