/** First key bytes in the stores of a validator (0x98 to 0x9f). A number once used is never used for anything else. */
export const BUCKETS = {
  /** (no more key) -> layout, which chain. */
  protectionHeader: 0x98,
  /** Signing key -> its watermark and newest epoch. */
  protectionKey: 0x99,
  /** Signing key, epoch (u64) -> the attestation and its digest. */
  protectionAttestation: 0x9a,
  /** (no more key) -> why and since when all keys stand still. */
  protectionStop: 0x9b,
  /** In a machine's record of a key: hash of the chain's identity -> newest epoch (u64), digest signed for it. */
  machineNewestEpoch: 0x9c,
} as const
