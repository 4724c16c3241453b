/**
 * Types of slashing protection. A key signs one attestation per epoch, in ascending order; signing the same attestation again is
 * harmless.
 */
import type { Address } from '@keelson/primitives'
import type { AttestationToSign } from '../signer.ts'
import type { Interchange } from './interchange.ts'
import type { ProtectedChain } from './protected-chain.ts'

export type RefusalReason =
  | 'other-attestation-in-epoch'
  | 'older-than-newest'
  | 'below-watermark'
  /** A key without a record may have signed anything. */
  | 'unknown-key'
  | 'other-chain'
  | 'stopped'

export type Admission =
  | { readonly verdict: 'new' | 'repeated' }
  | { readonly verdict: 'refused'; readonly reason: RefusalReason; readonly message: string }

export interface StopRecord {
  readonly reason: string
  readonly sinceMs: number
  readonly key: Address | null
}

export interface KeyRecord {
  readonly key: Address
  /** Highest epoch that is always refused. */
  readonly watermark: number | null
  readonly newestEpoch: number | null
}

export interface ImportOutcome {
  readonly keys: readonly KeyRecord[]
  /** Epochs for which the file and the store have different attestations of a key: evidence against the key exists. */
  readonly conflicts: readonly { readonly key: Address; readonly epoch: number }[]
}

export interface SlashingProtection {
  /** Null until the first attestation or import. */
  chain(): ProtectedChain | null
  keys(): Promise<readonly KeyRecord[]>
  /** Returns false when the key has a record. */
  beginKey(key: Address): Promise<boolean>
  /** A `new` attestation is on disk when this resolves. If it rejects, nothing may be signed. */
  admitAttestation(key: Address, request: AttestationToSign): Promise<Admission>
  /** Returns the recorded attestation, also below the watermark, so that a restart can resend and recognize it. */
  recordedAttestation(key: Address, epoch: number): Promise<AttestationToSign | null>
  /** Refuses epochs up to this one; never lowers the watermark. */
  raiseWatermark(key: Address, epoch: number): Promise<void>
  watermark(key: Address): Promise<number | null>
  /** Stops signing with all keys, also after restarts. Keeps the first reason. */
  stop(reason: string, key?: Address): Promise<void>
  stopped(): StopRecord | null
  clearStop(): Promise<void>
  exportInterchange(keys?: readonly Address[]): Promise<Interchange>
  /**
   * Imports another store, all or nothing, keeping higher watermarks: no epoch of the file can be signed again, not even
   * identically. Throws ValidatorError `consensus/protection-import` for another chain.
   */
  importInterchange(interchange: Interchange): Promise<ImportOutcome>
  close(): Promise<void>
}
