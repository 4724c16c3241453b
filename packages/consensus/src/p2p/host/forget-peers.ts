/** Each disconnected peer occupies some kilobytes in libp2p's peer store. */
import type { Libp2p, PeerId } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import type { Multiaddr } from '@multiformats/multiaddr'

const MAX_GONE = 256

export function forgetPeersGone(node: Pick<Libp2p, 'addEventListener' | 'peerStore'>, most = MAX_GONE): void {
  const gone = new Map<string, PeerId>()
  node.addEventListener('peer:connect', ({ detail }) => void gone.delete(detail.toString()))
  node.addEventListener('peer:disconnect', ({ detail }) => {
    gone.delete(detail.toString())
    gone.set(detail.toString(), detail)
    if (gone.size <= most) return
    const [id, oldest] = gone.entries().next().value as [string, PeerId]
    gone.delete(id)
    node.peerStore.delete(oldest).catch(() => undefined)
  })
}

/** libp2p stores each failure, and discovery can name any number of invented nodes. */
export async function dialOrForget(
  node: Pick<Libp2p, 'dial' | 'getConnections' | 'peerStore'>,
  target: Multiaddr,
  signal: AbortSignal,
): Promise<void> {
  try {
    await node.dial(target, { signal })
  } catch (error) {
    const peerId = target.getPeerId()
    const peer = peerId === null ? null : peerIdFromString(peerId)
    if (peer !== null && node.getConnections(peer).length === 0) await node.peerStore.delete(peer).catch(() => undefined)
    throw error
  }
}
