/** Deletes disconnected peers from libp2p's peer store, where each peer can leave some kilobytes. */
import type { Libp2p, PeerId } from '@libp2p/interface'

/** Limit on disconnected peers that are remembered; those gone longest are forgotten first. */
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
    // the peer may already be deleted
    node.peerStore.delete(oldest).catch(() => undefined)
  })
}
