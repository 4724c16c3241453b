/** Which connections are refused, on the way out and on the way in, and why. Judged anew at each stage of a connection. */
import { type IpNetwork, isInNetworks, parseIpAddress } from '@keelson/runtime'
import type { BanList } from './ban-list.ts'

export type ConnectionRefusal = 'peer-banned' | 'address-banned' | 'outside-networks' | 'too-many-inbound' | 'too-many-from-address'

export interface OpenConnection {
  readonly peerId: string
  /** Null when the transport has none. */
  readonly ip: string | null
  readonly direction: 'inbound' | 'outbound'
}

export interface ConnectionRulesDependencies {
  readonly bans: Pick<BanList, 'findPeer' | 'findAddress'>
  /** Peers the operator named: no limit applies to them. */
  readonly isExempt: (peerId: string) => boolean
  /** Networks this node dials into; empty: all. */
  readonly networks: readonly IpNetwork[]
  readonly maxInbound: number
  readonly maxPerAddress: number
  readonly connections: () => readonly OpenConnection[]
}

export interface ConnectionRules {
  /** Before a peer is dialled; `ip` null when its address is a name or not known yet. */
  outbound(peerId: string | null, ip: string | null): ConnectionRefusal | null
  /** Before it is known who connects. */
  inbound(ip: string | null): ConnectionRefusal | null
  /** When it is known. */
  inboundPeer(peerId: string, ip: string | null): ConnectionRefusal | null
}

/** Room for peers the operator named and for a peer that connects again before its old connection is gone. */
const RESERVED_INBOUND = 16

export function createConnectionRules(deps: ConnectionRulesDependencies): ConnectionRules {
  const bannedAddress = (ip: string | null) => (ip !== null && deps.bans.findAddress(ip) !== null ? 'address-banned' : null)
  const inboundCount = () => deps.connections().filter(({ direction }) => direction === 'inbound').length

  function crowded(ip: string | null): ConnectionRefusal | null {
    if (ip === null || isLoopback(ip)) return null
    const same = deps.connections().filter((connection) => connection.ip === ip).length
    return same >= deps.maxPerAddress ? 'too-many-from-address' : null
  }

  return {
    outbound(peerId, ip) {
      if (peerId !== null && deps.bans.findPeer(peerId) !== null) return 'peer-banned'
      const banned = bannedAddress(ip)
      if (banned !== null) return banned
      return isInside(ip, deps.networks) ? null : 'outside-networks'
    },
    inbound(ip) {
      const banned = bannedAddress(ip)
      if (banned !== null) return banned
      // who it is shows only later: places are kept for those with a claim
      return inboundCount() >= deps.maxInbound + RESERVED_INBOUND ? 'too-many-inbound' : null
    },
    inboundPeer(peerId, ip) {
      if (deps.bans.findPeer(peerId) !== null) return 'peer-banned'
      if (deps.isExempt(peerId)) return null
      return inboundCount() >= deps.maxInbound ? 'too-many-inbound' : crowded(ip)
    },
  }
}

/** An address that is not known belongs to all networks: it is judged once it is. */
export function isInside(ip: string | null, networks: readonly IpNetwork[]): boolean {
  const address = ip === null ? null : parseIpAddress(ip)
  return networks.length === 0 || address === null || isInNetworks(address, networks)
}

export function isLoopback(ip: string): boolean {
  return ip === '::1' || ip.startsWith('127.')
}
