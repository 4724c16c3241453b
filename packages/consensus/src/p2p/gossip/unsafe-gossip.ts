import type { BlockGossip } from '../../ports.ts'
import type { PeerNetwork } from '../peers/peer-network.ts'

export interface UnsafeGossip extends BlockGossip {
  readonly network: PeerNetwork
}
