/** A list of peers in memory that drops a peer for an invalid response, as the execution network does. */
import type { PeerFault, SyncPeer, SyncPeers } from '@keelson/execution'

export interface ListedPeer extends SyncPeer {
  readonly faults: PeerFault[]
}

export interface PeerList extends SyncPeers {
  list(): readonly ListedPeer[]
  join(peer: ListedPeer): void
  leave(id: string): void
}

export function createPeerList(members: readonly ListedPeer[] = []): PeerList {
  let peers: readonly ListedPeer[] = []
  const listeners = new Set<() => void>()
  const change = (to: readonly ListedPeer[]) => {
    peers = to
    for (const listener of listeners) listener()
  }
  const leave = (id: string) => change(peers.filter((peer) => peer.id !== id))
  const list: PeerList = {
    list: () => peers,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    join(peer) {
      const penalize = (fault: PeerFault) => {
        peer.faults.push(fault)
        peer.penalize(fault)
        if (fault.kind === 'invalid') leave(peer.id)
      }
      change([...peers, { ...peer, penalize }])
    },
    leave,
  }
  for (const member of members) list.join(member)
  return list
}
