/** Defaults of options that op-node also has are op-node's, except the maximum of 50 peers. */
import type { IpNetwork } from '@keelson/runtime'
import type { DiscoveryOptions } from '@keelson/runtime/discovery'
import type { Banning } from '@keelson/runtime/peers'

export interface PeeringOptions {
  /** Peer ids, or multiaddresses that end in one, exempt from limits and scores, as static peers are. */
  readonly trusted: readonly string[]
  readonly nat: boolean
  readonly low: number
  readonly high: number
  /** Limit per IPv4 address or IPv6 /64; loopback is exempt. */
  readonly maxPerAddress: number
  /** Limit per public /24 or IPv6 /48. */
  readonly maxPerSubnet: number
  /** Null disables bans for low scores. */
  readonly banning: Banning | null
  /** Networks to dial; empty for all. */
  readonly networks: readonly IpNetwork[]
  readonly discovery: DiscoveryOptions | null
}

export const DEFAULT_PEERING: PeeringOptions = {
  trusted: [],
  nat: false,
  low: 20,
  high: 50,
  maxPerAddress: 8,
  maxPerSubnet: 12,
  banning: { threshold: -100, durationMs: 3_600_000, addressAfterPeers: 2 },
  networks: [],
  discovery: null,
}

export const DEFAULT_DISCOVERY: DiscoveryOptions = {
  bootnodes: [],
  udpPort: null,
  advertise: { ip: null, tcpPort: null, udpPort: null },
  walkEveryMs: { wanting: 5_000, content: 20_000 },
}
