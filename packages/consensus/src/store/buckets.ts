/** First key bytes in the consensus client's store (0x80 to 0x8f); conductors and validators use those after it. A number once used is never used for anything else. */
export const BUCKETS = {
  /** L1 block number (u64) -> L1 hash, L2 hash, L2 number: the safe head after that L1 block. */
  safeHeadByL1: 0x80,
  /** L1 hash -> 1 when it is canonical, 0 when it was replaced, and when that was found (u64 ms): a search for the sync start under way. */
  syncWalk: 0x81,
  /** (no more key) -> 1 when the sequencer was last started by its operator, 0 when stopped. */
  sequencerState: 0x82,
  /** Kind (peer 0, IP 1, subnet 2), then what is banned as text -> until when (u64 ms), 0 until it is lifted. */
  bans: 0x84,
  /** Alone -> RLP list of discovery records, so that a restart finds its network again. */
  discoveredNodes: 0x85,
  /** Block number (u64), hash of the place -> hash of the block that was signed there. */
  signedPlace: 0x86,
  /** Block number (u64), block hash -> version of the payload (a byte), the signed payload as gossip carries it: the last few. */
  signedPayload: 0x87,
  /** Kind (a byte), epoch or number (u64), 8 bytes that name it -> evidence of an offence, as rollup_offences shows it. */
  offences: 0x88,
} as const
