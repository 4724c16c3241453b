import { getV4Crypto } from '@chainsafe/enr'
import type { Libp2p } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'

export interface PeerIdentity {
  /** Node id in hex without 0x; empty if discovery does not support the key's type. */
  readonly nodeId: string
  readonly userAgent: string
  readonly protocolVersion: string
  readonly protocols: readonly string[]
  readonly addresses: readonly string[]
}

export async function identityOf(node: Libp2p, peerIdText: string): Promise<PeerIdentity> {
  const peerId = peerIdFromString(peerIdText)
  const isOwn = peerId.equals(node.peerId)
  const known = await node.peerStore.get(peerId).catch(() => null)
  const text = (key: string) => new TextDecoder().decode(known?.metadata.get(key) ?? new Uint8Array(0))
  const addresses = isOwn ? node.getMultiaddrs().map(String) : (known?.addresses ?? []).map((address) => address.multiaddr.toString())
  return {
    nodeId: peerId.type === 'secp256k1' ? getV4Crypto().nodeId(peerId.publicKey.raw) : '',
    userAgent: text('AgentVersion'),
    protocolVersion: text('ProtocolVersion'),
    protocols: isOwn ? node.getProtocols() : (known?.protocols ?? []),
    addresses: addresses.map((address) => (address.includes('/p2p/') ? address : `${address}/p2p/${peerIdText}`)),
  }
}
