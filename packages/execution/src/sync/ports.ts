/** What sync needs of the execution network. */
import type { Hash } from '@keelson/primitives'
import type { Unsubscribe } from '../emitter.ts'
import type { SnapPeer } from './snap/ports.ts'

export interface PooledPeer {
  /** The same after a reconnect. */
  readonly id: string
  penalize(fault: PeerFault): void
}

export interface PeerList<P extends PooledPeer> {
  list(): readonly P[]
  /** Calls the listener when a peer has joined or left. */
  onChange(listener: () => void): Unsubscribe
}

export type SyncPeers = PeerList<SyncPeer>

export interface HeadersRequest {
  /** A number selects a block of the peer's canonical chain. */
  readonly start: Hash | number
  readonly count: number
  /** True for descending numbers. */
  readonly reverse: boolean
}

/**
 * Responses are raw RLP items, bounded in number and size but otherwise unchecked: the caller checks them and calls `penalize`. A
 * response may be shorter than its request. Requests reject when the peer disconnects or `signal` aborts.
 */
export interface SyncPeer extends PooledPeer {
  headers(request: HeadersRequest, signal: AbortSignal): Promise<readonly Uint8Array[]>
  /** Items are lists of transactions, ommers and, from Shanghai on, withdrawals. */
  bodies(hashes: readonly Hash[], signal: AbortSignal): Promise<readonly Uint8Array[]>
  /** Items are lists of receipts as in the trie of receipts, bloom filter included, whichever version of eth the peer speaks. */
  receipts(hashes: readonly Hash[], signal: AbortSignal): Promise<readonly Uint8Array[]>
  /** Null or omitted for a peer that does not speak snap. */
  readonly snap?: SnapPeer | null
}

export interface PeerFault {
  /**
   * `invalid`: the response is provably wrong. `silent`: several requests of one kind in a row got no answer. Both cost the peer its
   * place. `useless`: late or without the data.
   */
  readonly kind: 'invalid' | 'silent' | 'useless'
  readonly reason: string
}
