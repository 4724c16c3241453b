import type { Metrics } from '@keelson/runtime'
import type { BanList, Candidates } from '@keelson/runtime/peers'
import type { PeerSet } from './peer-set.ts'

export interface MeasuredPeers {
  readonly maxPeers: number
  readonly set: Pick<PeerSet, 'peers'>
  readonly bans: Pick<BanList, 'list'>
  readonly candidates: Pick<Candidates, 'size'>
}

export function measurePeers(metrics: Metrics, { maxPeers, set, bans, candidates }: MeasuredPeers): void {
  metrics.gauge('p2p_peers', 'connected peers', ['direction'], () =>
    (['inbound', 'outbound'] as const).map(
      (direction) => [{ direction }, set.peers().filter((peer) => peer.direction === direction).length] as const,
    ),
  )
  metrics.gauge('p2p_max_peers', 'most peers that are admitted, beside named ones', [], () => maxPeers)
  metrics.gauge('p2p_bans', 'bans in force', ['kind'], () =>
    (['peer', 'ip', 'subnet'] as const).map((kind) => [{ kind }, bans.list(kind).length] as const),
  )
  metrics.gauge('p2p_candidates', 'nodes that may be dialled', [], () => candidates.size)
}
