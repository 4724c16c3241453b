import { counted } from '@keelson/primitives'
import type { HealthCheck } from '@keelson/runtime'

export interface PeerCounts {
  readonly connected: number
  /** Nodes that may be dialled. */
  readonly known: number
}

export function peerCountCheck(minPeers: number, counts: () => PeerCounts): HealthCheck {
  return {
    name: 'peers',
    check() {
      const { connected, known } = counts()
      if (connected >= minPeers) return { ok: true, detail: counted(connected, 'peer') }
      const why = known === 0 ? 'no other node of this chain is known' : `none of ${counted(known, 'known node')} answers and has a place`
      return {
        ok: false,
        reason: `${counted(connected, 'peer')}, at least ${minPeers} are expected: ${why}`,
        remedy:
          known === 0
            ? 'name nodes of this chain with --p2p.static or --p2p.bootnodes, and check that UDP packets reach the port of discovery'
            : 'check that TCP connections to other nodes are allowed, and that --p2p.port is reached from outside',
      }
    },
  }
}
