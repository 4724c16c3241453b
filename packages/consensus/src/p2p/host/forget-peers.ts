/** Keeps libp2p from remembering every peer that ever connected: each leaves some kilobytes of its own choosing. */
import type { Libp2p, PeerId } from '@libp2p/interface'

/** Peers that went away and are remembered; those gone longest are forgotten. */
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
    // what is not there any more needs no forgetting
    node.peerStore.delete(oldest).catch(() => undefined)
  })
}
