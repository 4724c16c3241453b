/**
 * Decides whether a validator's key may sign an attestation, and records it on disk before the signature leaves. A key signs
 * epochs in ascending order, one attestation each; signing the same one again is harmless.
 */
import type { Address } from '@keelson/primitives'
import type { AttestationToSign } from '../signer.ts'
import type { Interchange } from './interchange.ts'
import type { ProtectedChain } from './protected-chain.ts'

export type RefusalReason =
  | 'other-attestation-in-epoch'
  /** An attestation for a later epoch is recorded. */
  | 'older-than-newest'
  | 'below-watermark'
  /** The key has no record, so it may have signed anything. */
  | 'unknown-key'
  /** The record belongs to another chain id, contract or anchor. */
  | 'other-chain'
  /** A stop is on record, for example because a key was slashed. */
  | 'stopped'

export type Admission =
  | { readonly verdict: 'new' | 'repeated' }
  | { readonly verdict: 'refused'; readonly reason: RefusalReason; readonly message: string }

/** Stops all keys of a store until the operator clears it. */
export interface StopRecord {
  readonly reason: string
  readonly sinceMs: number
  readonly key: Address | null
}

export interface KeyRecord {
  readonly key: Address
  /** Highest epoch that is always refused; null for none. */
  readonly watermark: number | null
  /** Highest signed epoch; null for none. */
  readonly newestEpoch: number | null
}

export interface ImportOutcome {
  readonly keys: readonly KeyRecord[]
  /** Epochs for which a key signed one thing in the file and another in this store: evidence against the key exists. */
  readonly conflicts: readonly { readonly key: Address; readonly epoch: number }[]
}

export interface SlashingProtection {
  /** Null until the first attestation, or an import. */
  chain(): ProtectedChain | null
  keys(): Promise<readonly KeyRecord[]>
  /** Creates the record of a key that has never signed. Returns false when it exists. */
  beginKey(key: Address): Promise<boolean>
  /** Admits or refuses a signature; a `new` one is on disk when this resolves. If it rejects, nothing may be signed. */
  admitAttestation(key: Address, request: AttestationToSign): Promise<Admission>
  /**
   * Returns the recorded attestation of an epoch, also below the watermark, so that a restart can resend and recognize it. Null
   * when there is none.
   */
  recordedAttestation(key: Address, epoch: number): Promise<AttestationToSign | null>
  /** Refuses epochs up to this one from now on; earlier records stay. A lower epoch than the watermark changes nothing. */
  raiseWatermark(key: Address, epoch: number): Promise<void>
  /** Null for a key without a watermark or record. */
  watermark(key: Address): Promise<number | null>
  /** Refuses all keys, also after restarts. The first reason stays. */
  stop(reason: string, key?: Address): Promise<void>
  stopped(): StopRecord | null
  /** For the operator only. */
  clearStop(): Promise<void>
  exportInterchange(keys?: readonly Address[]): Promise<Interchange>
  /**
   * Imports the records of another store, all or nothing, and keeps the higher watermark of each key: no epoch of the file can be
   * signed again, not even identically. Throws ValidatorError `consensus/protection-import` for another chain.
   */
  importInterchange(interchange: Interchange): Promise<ImportOutcome>
  close(): Promise<void>
}
