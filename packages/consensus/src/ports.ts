/**
 * What the consensus client needs from outside: L1, the execution client, gossip, a small store.
 * The engine API itself is `EngineApi` of primitives; L1Reader and BlobReader are derivation's.
 */
import type { Hash, PayloadEnvelope } from '@keelson/primitives'
import type { PeerNetwork } from './p2p/peers/peer-network.ts'

export type L2BlockLabel = 'unsafe' | 'safe' | 'finalized'

/** Blocks of the execution client as it stores them. `unsafe` is its `latest`. */
export interface L2BlockSource {
  /** Null when the execution client has no such block (or no such label yet). Throws severity 'temporary' when unreachable. */
  payload(at: L2BlockLabel | number | Hash): Promise<PayloadEnvelope | null>
  /** Storage root of the L2ToL1MessagePasser after `block`; only asked when the header does not carry it. Null when that state is gone. */
  messagePasserStorageRoot(block: Hash): Promise<Hash | null>
}

export type GossipVerdict = 'accept' | 'ignore' | 'reject'

/** Unsafe blocks among consensus clients. Implemented over libp2p, and in memory for simulations. */
export interface UnsafeGossip {
  /** Signs and sends. Throws ConsensusError `consensus/gossip-publish` when there is no signer. */
  publish(envelope: PayloadEnvelope): Promise<void>
  /** The one handler for blocks that passed validation; `from` names the peer. */
  onPayload(handler: (envelope: PayloadEnvelope, from: string) => void): void
  /** Where peers' requests for blocks are answered from; until it is told, none are served. */
  serve(blocks: PayloadServer): void
  /**
   * Asks peers in turn for the block of a number, the one with `hash` when given. Null when none of them has it.
   * Its number and hash are checked; without `hash`, whether it is of the chain is not. `stop` ends what is under way.
   */
  requestPayload(number: number, hash: Hash | null): Promise<PayloadFromPeer | null>
  start(): Promise<void>
  stop(): Promise<void>
  peers(): readonly GossipPeer[]
  self(): GossipSelf
  /** For the operator; absent in simulations. */
  readonly network?: PeerNetwork
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
  /** Signature over the 32-byte digest: 65 bytes r, s, yParity. */
  sign(digest: Uint8Array): Promise<Uint8Array>
}

/** New L1 heads that come by themselves. */
export interface L1News {
  /** While this is so, looking at intervals is only the fallback. */
  readonly live: boolean
  onHead(callback: () => void): void
}
