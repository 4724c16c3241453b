/** Attestations seen in gossip, and the evidence that the Staking contract takes. */
import type { Address, Hash } from '@keelson/primitives'
import type { SignedAttestation } from './staking-transactions.ts'

export interface SeenAttestation extends SignedAttestation {
  readonly validator: Address
  readonly seenMs: number
}

/** All that `reportDoubleAttestation` takes. */
export interface DoubleAttestation {
  readonly validator: Address
  readonly epoch: number
  readonly first: SignedAttestation
  readonly second: SignedAttestation
}

/** All that `reportInvalidAttestation` takes: a checkpoint that is not the finalized block of its height. */
export interface InvalidAttestation extends SignedAttestation {
  readonly validator: Address
  /** Hash of the finalized block at that height. */
  readonly actualHash: Hash
}

/** A block as it was gossiped, all that `reportSignedBlock` takes. */
export interface SignedBlock {
  readonly blockHash: Hash
  /** Parent beacon block root and payload in SSZ. */
  readonly signedPart: Uint8Array
  /** 65 bytes, the last 0 or 1. */
  readonly signature: Uint8Array
}

/** Two blocks of one key at one place: height, parent, source hash of the first transaction. */
export interface DoubleBlock {
  readonly blockKey: Address
  readonly number: number
  readonly parentHash: Hash
  readonly sourceHash: Hash
  readonly first: SignedBlock
  readonly second: SignedBlock
}

export interface Offences {
  readonly doubleAttestations: readonly DoubleAttestation[]
  readonly invalidAttestations: readonly InvalidAttestation[]
  readonly doubleBlocks: readonly DoubleBlock[]
}
