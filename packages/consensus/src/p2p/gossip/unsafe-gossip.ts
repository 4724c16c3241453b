import type { BlockGossip } from '../../ports.ts'
import type { PeerNetwork } from '../peers/peer-network.ts'

/** Gossip with the peer management that an operator uses over RPC. */
export interface UnsafeGossip extends BlockGossip {
  readonly network: PeerNetwork
}
