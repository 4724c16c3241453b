/** The connected peers and the number of places. */

import type { Logger } from '@keelson/primitives'
import { createEmitter, type Unsubscribe } from '../emitter.ts'
import type { ConnectedPeer } from './connected-peer.ts'
import { nodeName } from './enode.ts'
import type { DisconnectReason } from './rlpx/disconnect-reason.ts'

export interface PeerLimits {
  readonly maxPeers: number
}

/** Places for peers that connect to us, so that nobody takes all of them from outside. */
const INBOUND_SHARE = 2 / 3

export class PeerSet {
  readonly #peers = new Map<string, ConnectedPeer>()
  readonly #changes: ReturnType<typeof createEmitter<void>>
  readonly #trusted: Set<string>
  readonly #maxPeers: number

  constructor(maxPeers: number, trusted: readonly Uint8Array[], log: Logger) {
    this.#maxPeers = maxPeers
    this.#trusted = new Set(trusted.map(nodeName))
    this.#changes = createEmitter<void>(log)
  }

  get size(): number {
    return this.#peers.size
  }

  list(): readonly ConnectedPeer[] {
    return [...this.#peers.values()]
  }

  has(id: Uint8Array): boolean {
    return this.#peers.has(nodeName(id))
  }

  get(id: Uint8Array): ConnectedPeer | undefined {
    return this.#peers.get(nodeName(id))
  }

  /** The reason to refuse a peer; null when it may join. Trusted nodes always may. */
  refusal(id: Uint8Array, inbound: boolean): DisconnectReason | null {
    if (this.has(id)) return 'alreadyConnected'
    if (this.#trusted.has(nodeName(id))) return null
    const others = this.list().filter((peer) => !this.#trusted.has(peer.id))
    if (others.length >= this.#maxPeers) return 'tooManyPeers'
    const places = Math.ceil(this.#maxPeers * INBOUND_SHARE)
    return inbound && others.filter((peer) => peer.session.remote.inbound).length >= places ? 'tooManyPeers' : null
  }

  isTrusted(id: Uint8Array): boolean {
    return this.#trusted.has(nodeName(id))
  }

  add(peer: ConnectedPeer): void {
    this.#peers.set(peer.id, peer)
    this.#changes.emit()
    void peer.session.closed.then(() => {
      if (this.#peers.get(peer.id) === peer) this.#peers.delete(peer.id)
      this.#changes.emit()
    })
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#changes.on(listener)
  }
}
