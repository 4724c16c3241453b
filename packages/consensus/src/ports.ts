/**
 * What the consensus client needs from outside: L1, the execution client, gossip, a small store.
 * The engine API itself is `EngineApi` of primitives; L1Reader and BlobReader are derivation's.
 */
import type { Address, BlockSigningRequest, Hash, PayloadEnvelope } from '@keelson/primitives'

export type L2BlockLabel = 'unsafe' | 'safe' | 'finalized'

/** Blocks of the execution client as it stores them. `unsafe` is its `latest`. */
export interface L2BlockSource {
  /** Null when the execution client has no such block (or no such label yet). Throws severity 'temporary' when unreachable. */
  payload(at: L2BlockLabel | number | Hash): Promise<PayloadEnvelope | null>
  /** Storage root of the L2ToL1MessagePasser after `block`; only asked when the header does not carry it. Null when that state is gone. */
  messagePasserStorageRoot(block: Hash): Promise<Hash | null>
}

/**
 * What becomes of a message, and of who brought it: `reject` is held against all who bring it. `defer`: it was not looked
 * into, and is when another brings it. `excess`: the same, and held against the one who brought it.
 */
export type GossipVerdict = 'accept' | 'ignore' | 'reject' | 'defer' | 'excess'

/** Unsafe blocks among consensus clients. Implemented over libp2p, and in memory for simulations. */
export interface BlockGossip {
  /** Signs and sends. Throws ConsensusError `consensus/gossip-publish` when there is no signer. */
  publish(envelope: PayloadEnvelope): Promise<void>
  /** The one handler for blocks that passed validation; `from` names the peer. */
  onPayload(handler: (envelope: PayloadEnvelope, from: string) => void): void
  /** The one handler for signed blocks as they are on the wire: those of peers that passed validation, and this node's own. */
  onSignedBlock(handler: (block: GossipedBlock) => void): void
  readonly attestations: AttestationChannel
  /** Where peers' requests for blocks are answered from; until it is told, none are served. */
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
  /** Parent beacon block root, from version 3 on, and payload in SSZ. */
  readonly signedPart: Uint8Array
  readonly signature: Uint8Array
}

/** The topic of validators' attestations. */
export interface AttestationChannel {
  /** Joins the topic, once. `judge` says what becomes of a message of a peer; accepted ones go on to others. */
  open(judge: (message: Uint8Array, from: string) => Promise<GossipVerdict>): void
  /** Throws ConsensusError `consensus/gossip-publish`. */
  publish(message: Uint8Array): Promise<void>
}

/** Contracts of the execution client, after its newest block. Throws when that cannot be asked, or the call reverts. */
export interface ContractReader {
  /** Empty where there is none. */
  code(address: Address): Promise<Uint8Array>
  call(to: Address, data: Uint8Array): Promise<Uint8Array>
}

export interface PayloadFromPeer {
  readonly envelope: PayloadEnvelope
  readonly from: string
}

/** Bytes of an answer to the bytes of a request; always an answer, whatever was asked. */
export interface PayloadServer {
  answer(request: Uint8Array, from: string): Promise<Uint8Array>
}

export interface GossipPeer {
  readonly peerId: string
  readonly addresses: readonly string[]
  readonly direction: 'inbound' | 'outbound'
  readonly connectedSinceMs: number
  /** Unsafe blocks this peer was the first to bring. */
  readonly firstDeliveries: number
  /** Null where not kept. */
  readonly score: number | null
}

export interface GossipSelf {
  readonly peerId: string
  readonly addresses: readonly string[]
}

/** Signs gossiped blocks; the key never leaves the implementation. */
export interface BlockSigner {
  /** Signature over the digest of the request: 65 bytes r, s, yParity. */
  sign(request: BlockSigningRequest): Promise<Uint8Array>
}

/** Who of several sequencers may seal, and the record of what was sealed: at most one block at a height. */
export interface Conductor {
  /** False for a sequencer that is alone: it always leads and nothing is recorded. */
  readonly enabled: boolean
  /** Throws ConsensusError `consensus/conductor` (temporary) when that cannot be found out. */
  leader(): Promise<boolean>
  /**
   * A sealed block may be gossiped and built upon only after this; doing it twice is harmless. Throws ConsensusError
   * `consensus/conductor` (temporary) when it is refused, or when it is not known whether it was recorded.
   */
  commitUnsafePayload(envelope: PayloadEnvelope): Promise<void>
  /** From now on this node leads whatever the conductor says, and records nothing: for disasters. */
  overrideLeader(): void
}

/** New L1 heads that come by themselves. */
export interface L1News {
  /** While this is so, looking at intervals is only the fallback. */
  readonly live: boolean
  onHead(callback: () => void): void
}
