/** First key bytes in a conductor's store (0x90 to 0x97). A number once used is never used for anything else. */
export const BUCKETS = {
  /** (no more key) -> who leads, and in which term. */
  lease: 0x90,
  /** (no more key) -> number and hash of the last recorded block. */
  head: 0x91,
  /** Block number (u64) -> version of the payload (a byte), the payload as gossip carries it. */
  payload: 0x92,
} as const
