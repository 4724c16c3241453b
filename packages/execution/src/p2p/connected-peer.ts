import type { Hash } from '@keelson/primitives'
import type { HeadersRequest, PeerFault, SyncPeer } from '../sync/ports.ts'
import { nodeName } from './enode.ts'
import type { EthPeer } from './eth/eth-peer.ts'
import type { RlpxSession } from './rlpx/session.ts'

/** A peer that has agreed on the chain. */
export class ConnectedPeer implements SyncPeer {
  readonly id: string
  readonly eth: EthPeer

  constructor(eth: EthPeer) {
    this.eth = eth
    this.id = nodeName(eth.session.remote.id)
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

  penalize({ kind, reason }: PeerFault): void {
    if (kind === 'invalid') void this.session.disconnect('protocolBreach', reason)
  }
}
