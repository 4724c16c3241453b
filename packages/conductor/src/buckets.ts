/** First key bytes in a conductor's store (0x90 to 0x97). Never reuse a number. */
export const BUCKETS = {
  /** No further key -> leader and term. */
  lease: 0x90,
  /** No further key -> number and hash of the last recorded block. */
  head: 0x91,
  /** Block number (u64) -> payload version (a byte), payload as in gossip. */
  payload: 0x92,
  /** No further key -> cluster id, revision, term and head of the etcd that was used last. */
  etcd: 0x93,
} as const
