/** First key bytes in a validator's stores (0x98 to 0x9f). Never reuse a number. */
export const BUCKETS = {
  /** No further key bytes -> layout and chain. */
  protectionHeader: 0x98,
  /** Signing key -> watermark and newest epoch. */
  protectionKey: 0x99,
  /** Signing key, epoch (u64) -> attestation and digest. */
  protectionAttestation: 0x9a,
  /** No further key bytes -> reason and time of the stop. */
  protectionStop: 0x9b,
  /** In a machine record: hash of the chain's identity -> newest signed epoch (u64) and its digest. */
  machineNewestEpoch: 0x9c,
} as const
