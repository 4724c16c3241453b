/**
 * What a validator's keys have signed, on disk before the signature leaves: the one place that decides whether a key may
 * sign an attestation. A key signs epochs in ascending order, one attestation each; the same one again is no harm.
 */
import type { StakingDomain } from '@keelson/contracts'
import type { Address, Hash } from '@keelson/primitives'
import type { AttestationToSign } from '../signer.ts'
import type { Interchange } from './interchange.ts'

export type RefusalReason =
  /** A different attestation is recorded for this epoch. */
  | 'other-attestation-in-epoch'
  /** One for a later epoch is recorded. */
  | 'older-than-newest'
  | 'below-watermark'
  /** There is no record of what this key has signed, so it may have signed anything. */
  | 'unknown-key'
  /** The record is of another chain id, contract or anchor. */
  | 'other-chain'
  /** A stop is on record, because one of the keys was slashed for instance. */
  | 'stopped'

export type Admission =
  | { readonly verdict: 'new' | 'repeated' }
  | { readonly verdict: 'refused'; readonly reason: RefusalReason; readonly message: string }

/** What signatures are for: those of one chain are no evidence on another. */
export interface ProtectedChain extends StakingDomain {
  readonly anchor: Hash
}

/** Why all keys of a store stand still until the operator says otherwise. */
export interface StopRecord {
  readonly reason: string
  readonly sinceMs: number
  /** The key it is about; null when it is about none. */
  readonly key: Address | null
}

export interface KeyRecord {
  readonly key: Address
  /** Highest epoch that is refused for good; null when none is. */
  readonly watermark: number | null
  /** Highest epoch signed for; null when none was. */
  readonly newestEpoch: number | null
}

export interface ImportOutcome {
  readonly keys: readonly KeyRecord[]
  /** Keys that signed one thing in the file and another in this store, for one epoch: evidence against them exists. */
  readonly conflicts: readonly { readonly key: Address; readonly epoch: number }[]
}

export interface SlashingProtection {
  /** Null until the first attestation, or an import. */
  chain(): ProtectedChain | null
  keys(): Promise<readonly KeyRecord[]>
  /** Begins the record of a key that has never signed anything. False when there is one already, which stays as it is. */
  beginKey(key: Address): Promise<boolean>
  /**
   * Whether `key` may sign; recorded and on disk when it resolves with `new`. Rejects when it could not be recorded:
   * then nothing may be signed.
   */
  admitAttestation(key: Address, request: AttestationToSign): Promise<Admission>
  /** What is recorded for an epoch, also below the watermark: to go on with after a restart, and to know it again. Null when nothing is. */
  recordedAttestation(key: Address, epoch: number): Promise<AttestationToSign | null>
  /** From now on epochs up to this one are refused; what was signed for them stays on record. One that is lower than the present watermark changes nothing. */
  raiseWatermark(key: Address, epoch: number): Promise<void>
  /** Null for a key without one, or without a record. */
  watermark(key: Address): Promise<number | null>
  /** Refuses all keys from now on, also after restarts. The first reason stays. */
  stop(reason: string, key?: Address): Promise<void>
  stopped(): StopRecord | null
  /** Only at the operator's word. */
  clearStop(): Promise<void>
  /** Of these keys, or of all. */
  exportInterchange(keys?: readonly Address[]): Promise<Interchange>
  /**
   * Takes over what another store knows, each key with the higher watermark of the two: no epoch of the file can be
   * signed for any more, not even with the same attestation. All or nothing. Throws ValidatorError
   * `consensus/protection-import` when it is of another chain.
   */
  importInterchange(interchange: Interchange): Promise<ImportOutcome>
  close(): Promise<void>
}
