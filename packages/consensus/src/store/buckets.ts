/** First key bytes in the consensus client's store (0x80 to 0x9f). A number once used is never used for anything else. */
export const BUCKETS = {
  /** L1 block number (u64) -> L1 hash, L2 hash, L2 number: the safe head after that L1 block. */
  safeHeadByL1: 0x80,
  /** L1 hash -> 1 when it is canonical, 0 when it was replaced, and when that was found (u64 ms): a search for the sync start under way. */
  syncWalk: 0x81,
  /** Kind (peer 0, IP 1, subnet 2), then what is banned as text -> until when (u64 ms), 0 until it is lifted. */
  bans: 0x84,
  /** Alone -> RLP list of discovery records, so that a restart finds its network again. */
  discoveredNodes: 0x85,
} as const
