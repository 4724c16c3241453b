/** What the duty loop needs of the world. */
import type { SignedAttestation } from '@keelson/contracts'
import type { Address, Clock, Logger, Random, RollupApi } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { AttestationGossip } from '../ports.ts'
import type { SlashingProtection } from '../protection/slashing-protection.ts'
import type { AttestationSigner } from '../signer.ts'
import type { StakingChain } from '../staking/staking-chain.ts'

/** The account that pays for attestations; the client's transaction manager is one. */
export interface AttestationSender {
  readonly address: Address
  /** Resolves when it is mined, also when it reverted. */
  send(transaction: {
    readonly to: Address
    readonly data: Uint8Array
    readonly gasLimit: bigint
    readonly label: string
  }): Promise<{ readonly succeeded: boolean; readonly blockNumber: number; readonly transactionHash: string }>
  /** What an earlier run left on its way. */
  recover(): Promise<readonly { readonly label: string; readonly receipt: Promise<unknown> }[]>
  trouble(): { readonly reason: string } | null
}

export interface DutyLoopDependencies {
  readonly chain: StakingChain
  readonly rollup: RollupApi
  /** Another consensus client, which has to agree on what is final before anything is signed. */
  readonly secondRollup?: RollupApi
  readonly gossip: Pick<AttestationGossip, 'publishAttestation' | 'attestations'>
  /** Guarded by slashing protection. */
  readonly signers: readonly AttestationSigner[]
  readonly protection: Pick<SlashingProtection, 'recordedAttestation' | 'raiseWatermark' | 'watermark' | 'stop' | 'stopped'>
  readonly sender: AttestationSender
  readonly clock: Clock
  readonly random: Pick<Random, 'next'>
  readonly log: Logger
  readonly metrics: Metrics
}

export interface DutyLoopOptions {
  readonly chainId: bigint
  readonly blockTimeSec: number
  readonly pollIntervalMs: number
  /** Whole epochs to listen before the first attestation. */
  readonly doppelgangerEpochs: number
  /** A head older than this says that the node is behind, or that the chain stands still. */
  readonly maxHeadAgeSec: number
  /** Slashings in blocks up to this one are known to the operator. */
  readonly slashingsKnownUntil: number
}

export interface KeyStatus {
  readonly key: Address
  /** Of the epoch of the last step. */
  readonly state: 'attested' | 'inactive' | 'listening' | 'waiting' | 'nothing-final' | 'refused' | 'too-late' | 'under-way' | 'sent'
  /** One line; null when there is nothing to say. */
  readonly reason: string | null
}

export interface DutyReport {
  readonly head: number
  readonly epoch: number
  readonly slot: number
  readonly keys: readonly KeyStatus[]
}

export type DutyStep = { readonly kind: 'waiting'; readonly reason: string } | ({ readonly kind: 'looked' } & DutyReport)

/** An attestation of one epoch, while this process deals with it. */
export interface HeldAttestation {
  readonly epoch: number
  readonly signed: SignedAttestation
  published: boolean
  /** How often it cost a fee. */
  mined: number
  /** How often the sender could not get it out. */
  failures: number
  /** Not given to the sender again before. */
  notBeforeMs: number
  /** Block it counted in, as its receipt says; null while none is known. */
  minedIn: number | null
}
