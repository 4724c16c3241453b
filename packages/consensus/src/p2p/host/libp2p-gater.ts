import type { ConnectionRefusal, ConnectionRules } from '@keelson/runtime/peers'
import type { ConnectionGater } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'

export function createLibp2pGater(
  rules: ConnectionRules,
  onRefusal: (refusal: ConnectionRefusal, direction: 'inbound' | 'outbound', who: string) => void,
): ConnectionGater {
  const refuse = (refusal: ConnectionRefusal | null, direction: 'inbound' | 'outbound', who: string): boolean => {
    if (refusal !== null) onRefusal(refusal, direction, who)
    return refusal !== null
  }
  return {
    denyDialPeer: (peerId) => refuse(rules.outbound(peerId.toString(), null), 'outbound', peerId.toString()),
    denyDialMultiaddr: (address) => refuse(rules.outbound(address.getPeerId(), ipOf(address)), 'outbound', address.toString()),
    denyInboundConnection: ({ remoteAddr }) => refuse(rules.inbound(ipOf(remoteAddr)), 'inbound', remoteAddr.toString()),
    denyInboundEncryptedConnection: (peerId, { remoteAddr }) =>
      refuse(rules.inboundPeer(peerId.toString(), ipOf(remoteAddr)), 'inbound', peerId.toString()),
    // The peer that answered may differ from the one dialled.
    denyOutboundEncryptedConnection: (peerId, { remoteAddr }) =>
      refuse(rules.outbound(peerId.toString(), ipOf(remoteAddr)), 'outbound', peerId.toString()),
  }
}

export function ipOf(address: Multiaddr): string | null {
  const [protocol, value] = address.stringTuples()[0] ?? []
  return (protocol === IP4 || protocol === IP6) && value !== undefined ? value : null
}

const IP4 = 4
const IP6 = 41
