import type { SignedAttestation } from '@keelson/contracts'
import type { Address, Clock, Logger, Random, RollupApi } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { AttestationGossip } from '../ports.ts'
import type { SlashingProtection } from '../protection/slashing-protection.ts'
import type { AttestationSigner } from '../signer.ts'
import type { StakingChain } from '../staking/staking-chain.ts'

export interface AttestationSender {
  readonly address: Address
  /** Resolves when mined, even if reverted. */
  send(transaction: {
    readonly to: Address
    readonly data: Uint8Array
    readonly gasLimit: bigint
    readonly label: string
  }): Promise<{ readonly succeeded: boolean; readonly blockNumber: number; readonly transactionHash: string }>
  recover(): Promise<readonly { readonly label: string; readonly receipt: Promise<unknown> }[]>
  trouble(): { readonly reason: string } | null
}

export interface DutyLoopDependencies {
  readonly chain: StakingChain
  readonly rollup: RollupApi
  /** Must agree on the final block before anything is signed. */
  readonly secondRollup?: RollupApi
  readonly gossip: Pick<AttestationGossip, 'publishAttestation' | 'attestations'>
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
  /** Whole epochs to listen for another machine before the first attestation. */
  readonly doppelgangerEpochs: number
  /** If the head is older, the node lags or the chain is stalled. */
  readonly maxHeadAgeSec: number
  /** Slashings up to this block are known to the operator and ignored. */
  readonly slashingsKnownUntil: number
}

export interface KeyStatus {
  readonly key: Address
  readonly state: 'attested' | 'inactive' | 'listening' | 'waiting' | 'nothing-final' | 'refused' | 'too-late' | 'under-way' | 'sent'
  readonly reason: string | null
}

export interface DutyReport {
  readonly head: number
  readonly epoch: number
  readonly slot: number
  readonly keys: readonly KeyStatus[]
}

export type DutyStep = { readonly kind: 'waiting'; readonly reason: string } | ({ readonly kind: 'looked' } & DutyReport)

export interface HeldAttestation {
  readonly epoch: number
  readonly signed: SignedAttestation
  published: boolean
  /** Number of mined transactions; each cost a fee. */
  mined: number
  failures: number
  notBeforeMs: number
  minedIn: number | null
}
