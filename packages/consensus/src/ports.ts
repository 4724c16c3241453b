import type { Address, BlockSigningRequest, Hash, PayloadEnvelope } from '@keelson/primitives'

export type L2BlockLabel = 'unsafe' | 'safe' | 'finalized'

/** Blocks of the execution client. `unsafe` is its `latest`. */
export interface L2BlockSource {
  /** Returns null if the execution client has no such block or label. Throws severity 'temporary' when unreachable. */
  payload(at: L2BlockLabel | number | Hash): Promise<PayloadEnvelope | null>
  /** Storage root of the L2ToL1MessagePasser after `block`, for headers without it; null if that state is gone. */
  messagePasserStorageRoot(block: Hash): Promise<Hash | null>
}

/**
 * Result of validating a message. `reject` penalizes every peer that sends it. `defer` means the message was not validated and
 * will be if another peer sends it; `excess` is the same and penalizes the sender.
 */
export type GossipVerdict = 'accept' | 'ignore' | 'reject' | 'defer' | 'excess'

/** Gossip of unsafe blocks, over libp2p or in memory for simulations. */
export interface BlockGossip {
  /** Signs and sends. Throws ConsensusError `consensus/gossip-publish` without a signer. */
  publish(envelope: PayloadEnvelope): Promise<void>
  /** Sets the handler for validated blocks; `from` is the peer. */
  onPayload(handler: (envelope: PayloadEnvelope, from: string) => void): void
  /** Sets the handler for signed blocks as sent on the wire: validated blocks of peers, and this node's own. */
  onSignedBlock(handler: (block: GossipedBlock) => void): void
  readonly attestations: AttestationChannel
  /** Sets the server for peers' block requests; before that none are served. */
  serve(blocks: PayloadServer): void
  /**
   * Requests the block with this number and hash from peers in turn; returns null when no peer has it. `hash` may resolve
   * later: the request is sent at once and checked then; null cancels it. `stop` ends pending requests.
   */
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

/** Gossip topic of validators' attestations. */
export interface AttestationChannel {
  /** Joins the topic. `judge` validates the messages of peers; accepted ones are forwarded. */
  open(judge: (message: Uint8Array, from: string) => Promise<GossipVerdict>): void
  /** Throws ConsensusError `consensus/gossip-publish`. */
  publish(message: Uint8Array): Promise<void>
}

/** Contracts of the execution client at its latest block. Throws when the request fails or the call reverts. */
export interface ContractReader {
  /** Empty if there is no contract. */
  code(address: Address): Promise<Uint8Array>
  call(to: Address, data: Uint8Array): Promise<Uint8Array>
}

export interface PayloadFromPeer {
  readonly envelope: PayloadEnvelope
  readonly from: string
}

/** Serves block requests of peers; returns a response for every request. */
export interface PayloadServer {
  answer(request: Uint8Array, from: string): Promise<Uint8Array>
}

export interface GossipPeer {
  readonly peerId: string
  readonly addresses: readonly string[]
  readonly direction: 'inbound' | 'outbound'
  readonly connectedSinceMs: number
  /** Unsafe blocks that this peer delivered first. */
  readonly firstDeliveries: number
  /** Null if peers are not scored. */
  readonly score: number | null
}

export interface GossipSelf {
  readonly peerId: string
  readonly addresses: readonly string[]
}

/** Signs gossiped blocks. The key never leaves the implementation. */
export interface BlockSigner {
  /** Returns 65 bytes: r, s, yParity. */
  sign(request: BlockSigningRequest): Promise<Uint8Array>
}

/** Decides which of several sequencers may seal, and records at most one block per height. */
export interface Conductor {
  /** False for a sequencer without a conductor, which always leads and records nothing. */
  readonly enabled: boolean
  /** Throws ConsensusError `consensus/conductor` (temporary) on failure. */
  leader(): Promise<boolean>
  /**
   * A sealed block may be gossiped and built upon only after this call, which may be repeated. Throws ConsensusError
   * `consensus/conductor` (temporary) if the block was refused or may not have been recorded.
   */
  commitUnsafePayload(envelope: PayloadEnvelope): Promise<void>
  /** For disasters: this node leads and records nothing from now on. */
  overrideLeader(): void
}

/** Subscription to L1 heads. */
export interface L1News {
  /** While true, polling is only the fallback. */
  readonly live: boolean
  onHead(callback: () => void): void
}
