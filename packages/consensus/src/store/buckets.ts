/**
 * First key bytes in the consensus client's store (0x80 to 0x8f). Conductors and validators use those after it. Numbers are never
 * reused.
 */
export const BUCKETS = {
  /** L1 block number (u64) -> L1 hash, L2 hash, L2 number: the safe head after that L1 block. */
  safeHeadByL1: 0x80,
  /** L1 hash -> 1 if canonical, 0 if replaced, and when that was read (u64 ms), for the running search for the sync start. */
  syncWalk: 0x81,
  /** No further key -> 1 if the operator last started the sequencer, 0 if stopped. */
  sequencerState: 0x82,
  /** Kind (peer 0, IP 1, subnet 2), then the banned peer or address as text -> end of the ban (u64 ms), 0 for none. */
  bans: 0x84,
  /** No further key -> RLP list of discovery records, for the next start. */
  discoveredNodes: 0x85,
  /** Block number (u64), hash of the place -> hash of the block signed there. */
  signedPlace: 0x86,
  /** Block number (u64), block hash -> payload version (a byte), signed payload as gossiped; only the last blocks. */
  signedPayload: 0x87,
  /** Kind (a byte), epoch or number (u64), 8 bytes of an id -> evidence of an offence, as rollup_offences returns it. */
  offences: 0x88,
} as const
