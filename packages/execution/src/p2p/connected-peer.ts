import { bytesToHex, type Hash, type Hex } from '@keelson/primitives'
import type { HeadersRequest, PeerFault, SyncPeer } from '../sync/ports.ts'
import type { SnapPeer } from '../sync/snap/ports.ts'
import type { EthPeer } from './eth/eth-peer.ts'
import type { RlpxSession } from './rlpx/session.ts'

/** A peer that has agreed on the chain. */
export class ConnectedPeer implements SyncPeer {
  /** Public key in hex. */
  readonly id: Hex
  readonly eth: EthPeer
  /** Null for a peer that does not speak snap. */
  readonly snap: SnapPeer | null
  readonly #onFault: (fault: PeerFault) => void

  constructor(eth: EthPeer, snap: SnapPeer | null, onFault: (fault: PeerFault) => void) {
    this.eth = eth
    this.snap = snap
    this.id = bytesToHex(eth.session.remote.id)
    this.#onFault = onFault
  }

  get session(): RlpxSession {
    return this.eth.session
  }

  headers({ start, count, reverse }: HeadersRequest, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const origin = typeof start === 'number' ? BigInt(start) : start
    return this.eth.headers({ origin, amount: BigInt(count), skip: 0n, reverse }, signal)
  }

  bodies(hashes: readonly Hash[], signal: AbortSignal): Promise<readonly Uint8Array[]> {
    return this.eth.bodies(hashes, signal)
  }

  receipts(hashes: readonly Hash[], signal: AbortSignal): Promise<readonly Uint8Array[]> {
    return this.eth.receipts(hashes, signal)
  }

  penalize(fault: PeerFault): void {
    this.#onFault(fault)
  }
}
