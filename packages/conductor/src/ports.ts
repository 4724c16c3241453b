import type { BlockId, Hash, PayloadEnvelope } from '@keelson/primitives'

export interface TimedBlock extends BlockId {
  readonly timestampSec: number
}

export interface CandidateStatus {
  readonly unsafe: TimedBlock
  /** L1 origin of the unsafe head; null if unknown. */
  readonly unsafeOrigin: BlockId | null
  readonly safe: TimedBlock
  readonly active: boolean
  /** An operator made it seal without its conductor, until it restarts. False if unknown. */
  readonly overridden: boolean
  readonly peers: number
}

/** A sequencer whose state is known here. */
export interface Observed {
  readonly id: string
  readonly address: string
  /** Rejects if its state is unknown. */
  status(): Promise<CandidateStatus>
}

/** All methods reject if the sequencer refuses or does not answer. */
export interface Candidate extends Observed {
  hashAt(number: number): Promise<Hash>
  start(unsafeHead: Hash): Promise<void>
  stop(): Promise<void>
  postUnsafePayload(envelope: PayloadEnvelope): Promise<void>
}

export interface L1Hashes {
  hashAt(number: number): Promise<Hash | null>
}

export interface Lease {
  /** Grows with each grant. The holder of an older term has no rights. */
  readonly term: number
  /** Null while nobody leads. */
  readonly holder: string | null
}

export interface RecordedBlock extends BlockId {
  readonly parentHash: Hash
}

/** Blocks that a ledger keeps, to bring candidates up to date: about half an hour. */
export const KEPT_PAYLOADS = 1_024

/**
 * Who leads, and the recorded blocks. The properties are what this process knows; a write compares with what is stored, and is
 * durable when it resolves to true. After false, `refresh` reads why. A write that rejects may have happened.
 */
export interface Ledger {
  /** Null before the first grant. */
  readonly lease: Lease | null
  readonly head: BlockId | null
  /** Null if the block is not recorded or no longer kept. */
  blockAt(number: number): RecordedBlock | null
  payloadAt(number: number): Promise<PayloadEnvelope | null>
  /** Reads what other processes wrote. */
  refresh(): Promise<void>
  /** Begins the term after `term`. False if that is not the newest, or if another process holds it. */
  grant(holder: string, term: number): Promise<boolean>
  /** Records the block on the head. False if `term` is not the newest or the block does not extend the head. */
  append(term: number, envelope: PayloadEnvelope): Promise<boolean>
  /** Makes another block the head. Keeps the blocks below it if they are its ancestors. False if `term` is not the newest. */
  adopt(term: number, head: BlockId): Promise<boolean>
}

/** The other conductors that share a ledger, each with sequencers of its own. */
export interface Peers {
  /** Their sequencers, as they reported them. */
  readonly candidates: readonly Observed[]
  /** Whether all have reported since the ledger's store answered again, or for the first time. */
  readonly allReported: boolean
  /** Reports this conductor's sequencers to the others, and reads what they reported and wrote to the ledger. */
  exchange(own: readonly OwnReport[]): Promise<void>
}

export interface OwnReport {
  readonly id: string
  readonly address: string
  readonly status: CandidateStatus | null
  /** Why there is no status. */
  readonly reason: string | null
}
