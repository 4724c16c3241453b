/** First key bytes in the consensus client's store (0x80 to 0x8f); conductors and validators use the next. Never reused. */
export const BUCKETS = {
  /** L1 number (u64) -> L1 hash, L2 hash, L2 number. */
  safeHeadByL1: 0x80,
  /** L1 hash -> 1 if canonical, 0 if replaced; when read (u64 ms). */
  syncWalk: 0x81,
  /** No further key -> 1 if the operator started the sequencer last. */
  sequencerState: 0x82,
  /** Kind (peer 0, IP 1, subnet 2), peer or address as text -> end of the ban (u64 ms), 0 for none. */
  bans: 0x84,
  /** No further key -> RLP list of discovery records. */
  discoveredNodes: 0x85,
  /** Block number (u64), hash of the place -> block hash. */
  signedPlace: 0x86,
  /** Block number (u64), block hash -> payload version (a byte), payload as gossiped. */
  signedPayload: 0x87,
  /** Kind (a byte), epoch or number (u64), 8 bytes of an id -> evidence, as rollup_offences returns it. */
  offences: 0x88,
  /** No further key -> payload version (a byte), payload as gossiped. */
  newerBlock: 0x89,
} as const
