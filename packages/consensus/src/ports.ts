import type { Address, BlockId, BlockSigningRequest, Hash, PayloadEnvelope } from '@keelson/primitives'
import type { UnreadableBlock } from './newer-rules/signed-conflict.ts'

export type L2BlockLabel = 'unsafe' | 'safe' | 'finalized'

/** Blocks of the execution client. `unsafe` is its `latest`. */
export interface L2BlockSource {
  /** Throws severity 'temporary' when unreachable. */
  payload(at: L2BlockLabel | number | Hash): Promise<PayloadEnvelope | null>
  messagePasserStorageRoot(block: Hash): Promise<Hash | null>
}

/**
 * `reject` penalizes every peer that sends the message. `defer`: not validated, but will be if another peer sends it. `excess`:
 * the same, and penalizes the sender.
 */
export type GossipVerdict = 'accept' | 'ignore' | 'reject' | 'defer' | 'excess'

export interface BlockGossip {
  /** Throws ConsensusError `consensus/gossip-publish` without a signer. */
  publish(envelope: PayloadEnvelope): Promise<void>
  onPayload(handler: (envelope: PayloadEnvelope, from: string) => void): void
  /** Called for validated blocks, of peers and of this node. */
  onSignedBlock(handler: (block: GossipedBlock) => void): void
  /** Called with signed messages whose content breaks a rule of this release. */
  onUnreadable(handler: (block: UnreadableBlock) => void): void
  readonly attestations: AttestationChannel
  serve(blocks: PayloadServer): void
  /** Sends the request at once and checks the response when `hash` resolves; null cancels. */
  requestPayload(number: number, hash: Hash | Promise<Hash | null>): Promise<PayloadFromPeer | null>
  start(): Promise<void>
  stop(): Promise<void>
  peers(): readonly GossipPeer[]
  self(): GossipSelf
}

export interface GossipedBlock {
  readonly envelope: PayloadEnvelope
  readonly signer: Address
  /** Parent beacon block root (from version 3 on) and SSZ payload. */
  readonly signedPart: Uint8Array
  readonly signature: Uint8Array
}

export interface AttestationChannel {
  open(judge: (message: Uint8Array, from: string) => Promise<GossipVerdict>): void
  /** Throws ConsensusError `consensus/gossip-publish`. */
  publish(message: Uint8Array): Promise<void>
}

/** Throws when the request fails or the call reverts. */
export interface ContractReader {
  code(address: Address): Promise<Uint8Array>
  call(to: Address, data: Uint8Array): Promise<Uint8Array>
}

export interface PayloadFromPeer {
  readonly envelope: PayloadEnvelope
  readonly from: string
}

export interface PayloadServer {
  answer(request: Uint8Array, from: string): Promise<Uint8Array>
}

export interface GossipPeer {
  readonly peerId: string
  readonly addresses: readonly string[]
  readonly direction: 'inbound' | 'outbound'
  readonly connectedSinceMs: number
  readonly firstDeliveries: number
  readonly score: number | null
}

export interface GossipSelf {
  readonly peerId: string
  readonly addresses: readonly string[]
}

/** The key never leaves the implementation. */
export interface BlockSigner {
  /** Returns 65 bytes: r, s, yParity. */
  sign(request: BlockSigningRequest): Promise<Uint8Array>
}

/** Decides which sequencer may seal, and records at most one block per height. */
export interface Conductor {
  /** False for a single sequencer, which always leads. */
  readonly enabled: boolean
  /** Throws ConsensusError `consensus/conductor` (temporary) on failure. */
  leader(): Promise<boolean>
  /**
   * Call it before a sealed block is gossiped or built upon; it may be repeated. Throws ConsensusError `consensus/conductor`
   * (temporary) if the block may not have been recorded.
   */
  commitUnsafePayload(envelope: PayloadEnvelope): Promise<void>
  /** For disasters: makes this node lead, without recording blocks from now on. */
  overrideLeader(): void
}

export interface L1News {
  /** While true, polling is only a fallback. */
  readonly live: boolean
  onHead(callback: () => void): void
}

export type BlockStep = 'build' | 'seal' | 'commit' | 'publish' | 'receive' | 'insert' | 'derive'

/** A finished step in the life of a block on this node. Times are milliseconds since 1970. */
export interface BlockSpan {
  readonly step: BlockStep
  readonly block: BlockId
  readonly startMs: number
  readonly endMs: number
  readonly facts?: Readonly<Record<string, string | number>>
}

/** Collects spans for distributed traces. */
export interface BlockSpans {
  /** Must neither throw nor wait. */
  record(span: BlockSpan): void
}
