/** JSON in op-node's opp2p_* shape, with additional fields. */
import { invalidParams } from '@keelson/runtime'
import type { PeerDetails } from '../p2p/peers/peer-network.ts'

const NS_PER_MS = 1_000_000
const NOTHING_IN_TOPIC = { timeInMesh: 0, firstMessageDeliveries: 0, meshMessageDeliveries: 0, invalidMessageDeliveries: 0 }

export function peerToJson(peer: PeerDetails) {
  const { connection, requests } = peer
  return {
    peerID: peer.peerId,
    nodeID: peer.nodeId,
    userAgent: peer.userAgent,
    protocolVersion: peer.protocolVersion,
    ENR: peer.enr ?? '',
    addresses: peer.addresses,
    protocols: peer.protocols,
    connectedness: connection === null ? 0 : 1,
    direction: connection === null ? 0 : connection.direction === 'inbound' ? 1 : 2,
    protected: peer.isExempt,
    chainID: Number(peer.chainId ?? 0n),
    latency: Math.round((peer.latencyMs ?? 0) * NS_PER_MS),
    gossipBlocks: peer.gossipsBlocks,
    scores: { gossip: gossipScores(peer), reqResp: requests },
    connectedSince: connection?.openedMs ?? null,
    firstDeliveries: peer.firstDeliveries,
    lastUseful: peer.lastUsefulMs,
  }
}

/** Sums the scores of all block topics, because op-node's JSON has only one. */
function gossipScores({ score, gossip, colocationFactor }: PeerDetails) {
  const topics = Object.values(gossip?.topics ?? {})
  const blocks = topics.reduce(
    (sum, topic) => ({
      timeInMesh: Math.max(sum.timeInMesh, topic.inMesh ? topic.meshTime / 1000 : 0),
      firstMessageDeliveries: sum.firstMessageDeliveries + topic.firstMessageDeliveries,
      meshMessageDeliveries: sum.meshMessageDeliveries + topic.meshMessageDeliveries,
      invalidMessageDeliveries: sum.invalidMessageDeliveries + topic.invalidMessageDeliveries,
    }),
    NOTHING_IN_TOPIC,
  )
  return { total: score, blocks, IPColocationFactor: colocationFactor, behavioralPenalty: gossip?.behaviourPenalty ?? 0 }
}

/** Go's encoding of a network: address, and mask in base64. */
export function subnetToJson(cidr: string): { readonly IP: string; readonly Mask: string } {
  const [ip = '', prefix = '0'] = cidr.split('/')
  const mask = new Uint8Array(ip.includes(':') ? 16 : 4)
  for (let bit = 0; bit < Number(prefix); bit++) mask[bit >> 3] = (mask[bit >> 3] as number) | (0x80 >> (bit & 7))
  return { IP: ip, Mask: Buffer.from(mask).toString('base64') }
}

/** Parses Go's form or `192.0.2.0/24`. Throws RpcError. */
export function subnetFromJson(value: unknown): string {
  if (typeof value === 'string') return value
  const { IP: ip, Mask: mask } = (value ?? {}) as { readonly IP?: unknown; readonly Mask?: unknown }
  if (typeof ip !== 'string' || typeof mask !== 'string') throw invalidParams('expected a subnet such as 192.0.2.0/24, or {IP, Mask}')
  const bits = [...Buffer.from(mask, 'base64')].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const prefix = bits.indexOf('0') === -1 ? bits.length : bits.indexOf('0')
  if (bits.length === 0 || bits.slice(prefix).includes('1')) throw invalidParams('expected a mask of ones, then zeroes, in base64')
  return `${ip}/${prefix}`
}
