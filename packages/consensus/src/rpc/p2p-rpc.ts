import { invalidParams, parseIpAddress, parseIpNetwork, RPC_ERROR_NUMBERS, RpcError, type RpcMethods } from '@keelson/runtime'
import type { BanKind } from '@keelson/runtime/peers'
import { ConsensusError } from '../errors.ts'
import type { UnsafeGossip } from '../p2p/gossip/unsafe-gossip.ts'
import { loadAddressChecks } from '../p2p/peers/load-address-checks.ts'
import type { PeerNetwork } from '../p2p/peers/peer-network.ts'
import { peerToJson, subnetFromJson, subnetToJson } from './p2p-json.ts'

type Gossip = Pick<UnsafeGossip, 'network' | 'peers'> | null

export function createP2pMethods(gossip: Gossip): RpcMethods {
  const network = () => networkOf(gossip)
  return {
    opp2p_self: () => answer(async () => peerToJson(await network().self())),
    opp2p_peers: ([connected]) =>
      answer(async () => {
        const peers = await network().peers(connected !== false)
        return {
          totalConnected: peers.filter(({ connection }) => connection !== null).length,
          peers: Object.fromEntries(peers.map((peer) => [peer.peerId, peerToJson(peer)])),
          bannedPeers: network().blocked('peer'),
          bannedIPS: network().blocked('ip'),
          bannedSubnets: network().blocked('subnet').map(subnetToJson),
        }
      }),
    opp2p_peerStats: () => {
      const counts = gossip?.network.counts()
      const topic = (version: number) => counts?.topics[version - 1] ?? 0
      return {
        connected: gossip?.peers().length ?? 0,
        table: counts?.table ?? 0,
        blocksTopic: topic(1),
        blocksTopicV2: topic(2),
        blocksTopicV3: topic(3),
        blocksTopicV4: topic(4),
        banned: counts?.banned ?? 0,
        known: counts?.known ?? 0,
      }
    },
    opp2p_discoveryTable: () => {
      const table = network().discoveryTable()
      if (table === null) throw new RpcError(RPC_ERROR_NUMBERS.server, 'discovery is off (--p2p.discovery)')
      return table
    },
    opp2p_listBlockedPeers: () => network().blocked('peer'),
    opp2p_listBlockedAddrs: () => network().blocked('ip'),
    opp2p_listBlockedSubnets: () => network().blocked('subnet').map(subnetToJson),
  }
}

export function createP2pAdminMethods(gossip: Gossip): RpcMethods {
  const network = () => networkOf(gossip)
  const block = (kind: BanKind, what: string, expected: string) =>
    answer(async () => {
      if (!(await network().block(kind, what))) throw invalidParams(`expected ${expected}, got ${what.slice(0, 80)}`)
      return null
    })
  const done = (act: () => Promise<void> | void) =>
    answer(async () => {
      await act()
      return null
    })
  const unblock = (kind: BanKind, what: string) => done(() => network().unblock(kind, what))
  const understood = (what: string, parsed: unknown, expected: string) => {
    if (parsed === null) throw invalidParams(`expected ${expected}, got ${what.slice(0, 80)}`)
    return what
  }
  const asAddress = (value: unknown) => {
    const ip = asText(value, 'an IP address')
    return understood(ip, parseIpAddress(ip), 'an IP address')
  }
  const asSubnet = (value: unknown) => {
    const subnet = subnetFromJson(value)
    return understood(subnet, parseIpNetwork(subnet), 'a network such as 192.0.2.0/24')
  }
  return {
    opp2p_blockPeer: ([peerId]) => block('peer', asPeerId(peerId), 'a peer id'),
    opp2p_unblockPeer: ([peerId]) => unblock('peer', asPeerId(peerId)),
    opp2p_blockAddr: ([ip]) => block('ip', asText(ip, 'an IP address'), 'an IP address'),
    opp2p_unblockAddr: ([ip]) => unblock('ip', asAddress(ip)),
    opp2p_blockSubnet: ([subnet]) => block('subnet', subnetFromJson(subnet), 'a network such as 192.0.2.0/24'),
    opp2p_unblockSubnet: ([subnet]) => unblock('subnet', asSubnet(subnet)),
    opp2p_protectPeer: ([peerId]) => done(() => network().protect(asPeerId(peerId))),
    opp2p_unprotectPeer: ([peerId]) => done(() => network().unprotect(asPeerId(peerId))),
    opp2p_connectPeer: ([address]) =>
      answer(async () => {
        const target = asText(address, 'a multiaddress')
        const expected = (await loadAddressChecks()).multiaddressMistake(target)
        if (expected !== null) throw invalidParams(`expected ${expected}, got ${target.slice(0, 200)}`)
        const failure = await network().connect(target)
        if (failure !== null) throw new RpcError(RPC_ERROR_NUMBERS.server, `${target} was not reached: ${failure}`)
        return null
      }),
    opp2p_disconnectPeer: ([peerId]) => done(() => network().disconnect(asPeerId(peerId))),
  }
}

function networkOf(gossip: Gossip): PeerNetwork {
  if (gossip === null) throw new RpcError(RPC_ERROR_NUMBERS.server, 'gossip is off (--p2p.enabled)')
  return gossip.network
}

function asText(value: unknown, expected: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw invalidParams(`expected ${expected}`)
}

/** Base58 of a public key, or of its hash. */
function asPeerId(value: unknown): string {
  if (typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{40,64}$/.test(value)) return value
  throw invalidParams('expected a peer id such as 16Uiu2HAm...')
}

async function answer<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ConsensusError) throw new RpcError(RPC_ERROR_NUMBERS.server, error.message)
    throw error
  }
}
