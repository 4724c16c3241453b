/** opp2p_*: who this node is on the network and whom it is connected to, in op-node's shape. */
import type { RpcMethods } from '@keelson/runtime'
import type { GossipPeer, UnsafeGossip } from '../ports.ts'

export function createP2pMethods(gossip: UnsafeGossip | null, chainId: bigint): RpcMethods {
  const peerToJson = (peer: GossipPeer) => ({
    peerID: peer.peerId,
    addresses: peer.addresses,
    protocols: peer.protocols,
    connectedness: 1,
    direction: peer.direction === 'inbound' ? 1 : 2,
    chainID: Number(chainId),
    connectedSince: peer.connectedSinceMs,
    firstDeliveries: peer.firstDeliveries,
    scores: { gossip: { total: peer.score } },
  })
  return {
    opp2p_self: () => {
      const self = gossip?.self()
      return self === undefined ? null : { peerID: self.peerId, addresses: self.addresses, chainID: Number(chainId) }
    },
    opp2p_peers: () => {
      const peers = gossip?.peers() ?? []
      return {
        totalConnected: peers.length,
        peers: Object.fromEntries(peers.map((peer) => [peer.peerId, peerToJson(peer)])),
        bannedPeers: [],
        bannedIPS: [],
        bannedSubnets: [],
      }
    },
    opp2p_peerStats: () => ({ connected: gossip?.peers().length ?? 0, banned: 0 }),
  }
}
