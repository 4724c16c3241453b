/** What the conductor needs from outside: the sequencers it conducts, and L1's word on its own blocks. */
import type { BlockId, Hash, PayloadEnvelope } from '@keelson/primitives'

export interface TimedBlock extends BlockId {
  readonly timestampSec: number
}

export interface CandidateStatus {
  readonly unsafe: TimedBlock
  readonly safe: TimedBlock
  /** It builds blocks, or tries to. */
  readonly active: boolean
  readonly peers: number
}

/** One sequencer, as admin_* and optimism_syncStatus show it. All methods reject when it does not answer, or refuses. */
export interface Candidate {
  readonly id: string
  /** Where it is reached, for operators. */
  readonly address: string
  status(): Promise<CandidateStatus>
  /** Of its unsafe chain. */
  hashAt(number: number): Promise<Hash>
  start(unsafeHead: Hash): Promise<void>
  stop(): Promise<void>
  postUnsafePayload(envelope: PayloadEnvelope): Promise<void>
}

export interface L1Hashes {
  /** Null when L1 has no such block (yet). Rejects when L1 does not answer. */
  hashAt(number: number): Promise<Hash | null>
}
