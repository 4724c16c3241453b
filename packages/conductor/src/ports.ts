import type { BlockId, Hash, PayloadEnvelope } from '@keelson/primitives'

export interface TimedBlock extends BlockId {
  readonly timestampSec: number
}

export interface CandidateStatus {
  readonly unsafe: TimedBlock
  readonly safe: TimedBlock
  readonly active: boolean
  readonly peers: number
}

/** All methods reject if the sequencer refuses or does not answer. */
export interface Candidate {
  readonly id: string
  readonly address: string
  status(): Promise<CandidateStatus>
  hashAt(number: number): Promise<Hash>
  start(unsafeHead: Hash): Promise<void>
  stop(): Promise<void>
  postUnsafePayload(envelope: PayloadEnvelope): Promise<void>
}

export interface L1Hashes {
  hashAt(number: number): Promise<Hash | null>
}
