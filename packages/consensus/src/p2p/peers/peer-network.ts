import type { Clock } from '@keelson/primitives'
import type { Discovery } from '@keelson/runtime/discovery'
import { type BanKind, type BanList, type Candidates, isLoopback } from '@keelson/runtime/peers'
import { ConsensusError } from '../../errors.ts'
import { colocationFactor } from '../gossip/score-params.ts'
import type { GossipHost, GossipStats } from '../host/libp2p-host.ts'
import type { PeerIdentity } from '../host/peer-identity.ts'
import type { ApplicationScore, RequestCounts } from './application-score.ts'
import type { ExemptPeers } from './exempt-peers.ts'
import type { PeerBook, PeerRecord } from './peer-book.ts'

export interface PeerDetails extends PeerIdentity, Omit<PeerRecord, 'unhelpful'> {
  readonly peerId: string
  readonly connection: { readonly direction: 'inbound' | 'outbound'; readonly openedMs: number } | null
  readonly isExempt: boolean
  readonly gossipsBlocks: boolean
  readonly score: number
  readonly gossip: GossipStats | null
  readonly colocationFactor: number
  readonly requests: RequestCounts
}

export interface PeerCounts {
  readonly connected: number
  readonly known: number
  readonly banned: number
  readonly table: number
  /** Block versions whose topics the peer subscribes to. */
  readonly topics: readonly number[]
}

export interface PeerNetwork {
  self(): Promise<PeerDetails>
  peers(connectedOnly: boolean): Promise<readonly PeerDetails[]>
  counts(): PeerCounts
  discoveryTable(): readonly string[] | null
  /** Bans until lifted, and disconnects. Returns false if `what` is not valid for `kind`. */
  block(kind: BanKind, what: string): Promise<boolean>
  unblock(kind: BanKind, what: string): Promise<void>
  blocked(kind: BanKind): readonly string[]
  protect(peerId: string): void
  unprotect(peerId: string): void
  connect(address: string): Promise<string | null>
  disconnect(peerId: string): Promise<void>
}

export interface PeerNetworkDependencies {
  readonly host: () => GossipHost | null
  readonly discovery: () => Discovery | null
  readonly topics: readonly string[]
  readonly chainId: bigint
  readonly score: (peerId: string) => number
  readonly requests: ApplicationScore
  readonly bans: BanList
  readonly book: PeerBook
  readonly candidates: Candidates
  readonly exempt: ExemptPeers
  readonly clock: Pick<Clock, 'nowMs'>
}

const CONNECT_TIMEOUT_MS = 30_000

export function createPeerNetwork(deps: PeerNetworkDependencies): PeerNetwork {
  const { bans, book, exempt } = deps
  const running = (): GossipHost => {
    const host = deps.host()
    if (host === null) throw new ConsensusError('consensus/gossip-stopped', 'temporary', 'gossip is not running')
    return host
  }

  async function details(host: GossipHost, peerId: string): Promise<PeerDetails> {
    const { unhelpful: _, ...record } = book.record(peerId)
    const connection = host.connections().find((open) => open.peerId === peerId) ?? null
    const gossipsBlocks = deps.topics.some((topic) => host.subscribers(topic).includes(peerId))
    return {
      peerId,
      ...(await host.identity(peerId)),
      ...record,
      // Topic names contain the chain id, so a peer that gossips blocks is on this chain.
      chainId: record.chainId ?? (gossipsBlocks ? deps.chainId : null),
      connection: connection === null ? null : { direction: connection.direction, openedMs: connection.openedMs },
      isExempt: exempt.has(peerId),
      gossipsBlocks,
      score: deps.score(peerId),
      gossip: host.gossipStats(peerId),
      colocationFactor: colocation(host, connection?.ip ?? null),
      requests: deps.requests.counts(peerId),
    }
  }

  function colocation(host: GossipHost, ip: string | null): number {
    return ip === null || isLoopback(ip) ? 0 : colocationFactor(host.connections().filter((other) => other.ip === ip).length)
  }

  const knownPeers = (host: GossipHost) => new Set([...host.connections().map(({ peerId }) => peerId), ...book.peers()])

  async function dropBanned(host: GossipHost): Promise<void> {
    for (const { peerId, ip } of host.connections()) {
      if (bans.findPeer(peerId) !== null || (ip !== null && bans.findAddress(ip) !== null)) await host.disconnect(peerId)
    }
  }

  return {
    async self() {
      const host = running()
      const own = await details(host, host.peerId)
      return { ...own, enr: deps.discovery()?.record() ?? null, chainId: deps.chainId, gossipsBlocks: true }
    },
    peers(connectedOnly) {
      const host = running()
      const wanted = connectedOnly ? new Set(host.connections().map(({ peerId }) => peerId)) : knownPeers(host)
      return Promise.all([...wanted].map((peerId) => details(host, peerId)))
    },
    counts() {
      const host = deps.host()
      return {
        connected: host?.connections().length ?? 0,
        known: host === null ? 0 : knownPeers(host).size,
        banned: bans.list('peer').length,
        table: deps.discovery()?.table().length ?? 0,
        topics: deps.topics.map((topic) => host?.subscribers(topic).length ?? 0),
      }
    },
    discoveryTable: () => deps.discovery()?.table() ?? null,
    async block(kind, what) {
      const understood = await bans.ban(kind, what, null)
      const host = deps.host()
      if (understood && host !== null) await dropBanned(host)
      return understood
    },
    async unblock(kind, what) {
      await bans.lift(kind, what)
    },
    blocked: (kind) => bans.list(kind).map(({ what }) => what),
    protect: exempt.protect,
    unprotect: exempt.unprotect,
    connect: (address) => running().connect(address, AbortSignal.timeout(CONNECT_TIMEOUT_MS)),
    async disconnect(peerId) {
      deps.candidates.rest(peerId)
      await running().disconnect(peerId)
      await bans.lift('peer', peerId)
    },
  }
}
