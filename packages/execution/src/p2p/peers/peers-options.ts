import type { IpNetwork } from '@keelson/runtime'
import type { NodeAddress } from './enode.ts'

export interface PeersOptions {
  readonly maxPeers: number
  /** With fewer the node is not ready. */
  readonly minPeers: number
  /** Limit per IPv4 address or IPv6 /64; loopback is exempt. */
  readonly maxPerAddress: number
  /** Limit per public /24 or IPv6 /48. */
  readonly maxPerSubnet: number
  /** Always dialled, exempt from limits and bans. */
  readonly staticNodes: readonly NodeAddress[]
  /** Exempt from limits and bans when they connect; not dialled. */
  readonly trustedNodes: readonly NodeAddress[]
  /** Networks to dial; empty for all. */
  readonly networks: readonly IpNetwork[]
}

export const DEFAULT_PEERS: PeersOptions = {
  maxPeers: 50,
  minPeers: 0,
  maxPerAddress: 8,
  maxPerSubnet: 12,
  staticNodes: [],
  trustedNodes: [],
  networks: [],
}

/** One peer in three is chosen by us, so that those who connect cannot fill every place. */
export function dialledShare(maxPeers: number): number {
  return maxPeers === 0 ? 0 : Math.max(1, Math.floor(maxPeers / 3))
}
