import { type IpNetwork, isInNetworks, parseIpAddress } from '../http/ip-address.ts'
import type { AddressBuckets } from './address-buckets.ts'
import { addressScope, subnetAt, subscriberAt } from './address-scope.ts'
import type { BanList } from './ban-list.ts'

export type ConnectionRefusal =
  | 'peer-banned'
  | 'address-banned'
  | 'outside-networks'
  | 'too-many-inbound'
  | 'too-many-from-address'
  | 'too-many-from-subnet'
  | 'too-many-attempts'

export interface OpenConnection {
  readonly peerId: string
  readonly ip: string | null
  readonly direction: 'inbound' | 'outbound'
}

export interface ConnectionRulesDependencies {
  readonly bans: Pick<BanList, 'findPeer' | 'findAddress'>
  /** Peers named by the operator, to which no limit applies. */
  readonly isExempt: (peerId: string) => boolean
  /** Networks to dial; empty for all. */
  readonly networks: readonly IpNetwork[]
  readonly maxInbound: number
  /** Limit per IPv4 address or IPv6 /64, in both directions. */
  readonly maxPerAddress: number
  /** Limit per public /24 or IPv6 /48, in both directions. */
  readonly maxPerSubnet: number
  readonly connections: () => readonly OpenConnection[]
  /** One token per attempt from an address: a handshake costs milliseconds. */
  readonly attempts: AddressBuckets
  readonly subnetAttempts: AddressBuckets
}

export interface ConnectionRules {
  outbound(peerId: string | null, ip: string | null): ConnectionRefusal | null
  inbound(ip: string | null): ConnectionRefusal | null
  inboundPeer(peerId: string, ip: string | null): ConnectionRefusal | null
}

interface Shares {
  readonly perAddress: number
  readonly perSubnet: number
}

/** Limits on dialled nodes, so that one operator cannot control all outbound peers. */
const MAX_DIALLED: Shares = { perAddress: 2, perSubnet: 3 }
/** Slots for exempt peers and for a peer that reconnects before its old connection ends. */
const RESERVED_INBOUND = 16

export function createConnectionRules(deps: ConnectionRulesDependencies): ConnectionRules {
  const bannedAddress = (ip: string | null) => (ip !== null && deps.bans.findAddress(ip) !== null ? 'address-banned' : null)
  const inboundCount = () => deps.connections().filter(({ direction }) => direction === 'inbound').length

  function crowded(ip: string | null, most: Shares, isCounted: (connection: OpenConnection) => boolean): ConnectionRefusal | null {
    const scope = ip === null ? null : addressScope(ip)
    if (ip === null || scope === null || scope === 'loopback') return null
    const others = deps.connections().filter((connection) => connection.ip !== null && isCounted(connection))
    const count = (nameOf: (ip: string) => string | null) => others.filter((other) => nameOf(other.ip as string) === nameOf(ip)).length
    if (count(subscriberAt) >= most.perAddress) return 'too-many-from-address'
    // A private network is usually a single subnet.
    return scope === 'public' && count(subnetAt) >= most.perSubnet ? 'too-many-from-subnet' : null
  }

  const inAll: Shares = { perAddress: deps.maxPerAddress, perSubnet: deps.maxPerSubnet }
  const dialled: Shares = {
    perAddress: Math.min(deps.maxPerAddress, MAX_DIALLED.perAddress),
    perSubnet: Math.min(deps.maxPerSubnet, MAX_DIALLED.perSubnet),
  }

  return {
    outbound(peerId, ip) {
      if (peerId !== null && deps.bans.findPeer(peerId) !== null) return 'peer-banned'
      const banned = bannedAddress(ip)
      if (banned !== null) return banned
      if (!isInside(ip, deps.networks)) return 'outside-networks'
      if (peerId !== null && deps.isExempt(peerId)) return null
      return crowded(ip, inAll, () => true) ?? crowded(ip, dialled, ({ direction }) => direction === 'outbound')
    },
    inbound(ip) {
      const banned = bannedAddress(ip)
      if (banned !== null) return banned
      // the peer is not known yet: slots are reserved for exempt ones
      if (inboundCount() >= deps.maxInbound + RESERVED_INBOUND) return 'too-many-inbound'
      const isWithinRates = deps.attempts.of(ip).tryTake() && deps.subnetAttempts.of(ip).tryTake()
      return isWithinRates ? null : 'too-many-attempts'
    },
    inboundPeer(peerId, ip) {
      if (deps.bans.findPeer(peerId) !== null) return 'peer-banned'
      if (deps.isExempt(peerId)) return null
      return inboundCount() >= deps.maxInbound ? 'too-many-inbound' : crowded(ip, inAll, () => true)
    },
  }
}

/** An unknown address counts as inside and is checked later, once known. */
export function isInside(ip: string | null, networks: readonly IpNetwork[]): boolean {
  const address = ip === null ? null : parseIpAddress(ip)
  return networks.length === 0 || address === null || isInNetworks(address, networks)
}
