import type { Clock, Logger } from '@keelson/primitives'
import type { KeyValueStore, Metrics } from '@keelson/runtime'
import type { Discovery } from '@keelson/runtime/discovery'
import {
  createAddressBuckets,
  createBanList,
  createCandidates,
  createConnectionRules,
  createRefusalLog,
  createScoreBans,
  createSubnetBuckets,
  isInside,
  type OpenConnection,
} from '@keelson/runtime/peers'
import { messageOf } from '../../errors.ts'
import { BUCKETS } from '../../store/buckets.ts'
import { mappedAddress } from '../discovery/mapped-address.ts'
import type { RequestOutcome } from '../exchange/request-payload.ts'
import type { GossipHost, GossipHostOptions } from '../host/libp2p-host.ts'
import { createApplicationScore } from './application-score.ts'
import { createExemptPeers } from './exempt-peers.ts'
import { createPeerBook, type PeerBook } from './peer-book.ts'
import { createPeerKeeper } from './peer-keeper.ts'
import { createPeerNetwork, type PeerNetwork } from './peer-network.ts'
import type { PeeringOptions } from './peering-options.ts'

export interface PeeringSettings {
  readonly chainId: bigint
  readonly blockTimeMs: number
  readonly host: string
  readonly nodeKey: Uint8Array
  readonly staticPeers: readonly string[]
  readonly peering: PeeringOptions
}

export interface PeeringDependencies {
  readonly store: KeyValueStore
  readonly topics: readonly string[]
  readonly host: () => GossipHost | null
  readonly discovery: () => Discovery | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Peering {
  readonly network: PeerNetwork
  readonly book: PeerBook
  readonly hostOptions: Pick<
    GossipHostOptions,
    'nat' | 'maxConnections' | 'applicationScore' | 'rules' | 'onRefusal' | 'onBadFrame' | 'onLowScore' | 'isTrusted'
  >
  score(peerId: string): number
  /** Returns peers with the fewest consecutive failures first. */
  helpfulFirst(): readonly string[]
  answered(peerId: string, outcome: RequestOutcome): void
  sentTooMuch(peerId: string): void
  load(): Promise<void>
  /** Throws ConsensusError `consensus/discovery-start`. */
  startDiscovery(host: GossipHost): Promise<Discovery | null>
  keep(host: GossipHost, signal: AbortSignal): Promise<void>
}

/** Larger than any gossip penalty. Subtracted from displayed scores. */
const EXEMPT_BONUS = 1e12
const EFFECTS = {
  payload: 'validResponses',
  bad: 'rejectedPayloads',
  lie: 'lies',
  failed: 'errorResponses',
  'no-answer': 'errorResponses',
  'other-chain': 'errorResponses',
} as const
const NOT_SERVING_MS = 10 * 60_000
/** A peer that lost its connection retries every few seconds. */
const ATTEMPTS_FROM_AN_ADDRESS = { perSec: 0.5, burst: 16 }
/** Low enough that one subnet cannot occupy all 64 concurrent handshakes. */
const ATTEMPTS_FROM_A_SUBNET = { perSec: 2, burst: 48 }
/** Connections for reserved slots and dials. */
const SPARE_CONNECTIONS = 64

export function createPeering(settings: PeeringSettings, deps: PeeringDependencies): Peering {
  const options = settings.peering
  const { store, clock, log } = deps
  const metrics = deps.metrics === undefined ? {} : { metrics: deps.metrics }
  const bans = createBanList(store, BUCKETS.bans, clock)
  const book = createPeerBook()
  const candidates = createCandidates(clock)
  const requests = createApplicationScore(settings.blockTimeMs, clock)
  const exempt = createExemptPeers([...settings.staticPeers, ...options.trusted])
  const bonus = (peerId: string) => (exempt.has(peerId) ? EXEMPT_BONUS : 0)
  const score = (peerId: string) => {
    const known = deps.host()?.score(peerId) ?? null
    return known === null ? 0 : known - bonus(peerId)
  }
  const scoreBans = createScoreBans(options.banning, { host: deps.host, score, bans, isExempt: exempt.has, clock, log, ...metrics })
  const sentTooMuch = (peerId: string) => requests.note(peerId, 'excessMessages')
  const badFrames = deps.metrics?.counter(
    'gossip_bad_frames_total',
    'gossip frames dropped because they are malformed or have too many parts',
  )
  const isRefused = (ip: string) => bans.findAddress(ip) !== null
  const inside = (ip: string) => isInside(ip, options.networks)
  deps.metrics?.gauge('p2p_bans', 'bans in force', ['kind'], () =>
    (['peer', 'ip', 'subnet'] as const).map((kind) => [{ kind }, bans.list(kind).length] as const),
  )

  const attempts = createAddressBuckets(ATTEMPTS_FROM_AN_ADDRESS, clock)
  const subnetAttempts = createSubnetBuckets(ATTEMPTS_FROM_A_SUBNET, clock)
  const rulesFor = (connections: () => readonly OpenConnection[]) =>
    createConnectionRules({
      bans,
      isExempt: exempt.has,
      networks: options.networks,
      maxInbound: Math.max(1, options.high - Math.floor(options.low / 2)),
      maxPerAddress: options.maxPerAddress,
      maxPerSubnet: options.maxPerSubnet,
      connections,
      attempts,
      subnetAttempts,
    })

  function onLowScore(peerId: string): void {
    scoreBans.look(peerId).catch((error: unknown) => log.warn('a ban could not be stored', { peer: peerId, reason: messageOf(error) }))
  }

  return {
    book,
    score,
    network: createPeerNetwork({ ...deps, chainId: settings.chainId, score, requests, bans, book, candidates, exempt }),
    hostOptions: {
      nat: options.nat,
      maxConnections: 2 * options.high + SPARE_CONNECTIONS,
      applicationScore: (peerId) => requests.score(peerId) + bonus(peerId),
      rules: rulesFor,
      onRefusal: createRefusalLog(clock, log, deps.metrics),
      onBadFrame(peerId) {
        badFrames?.inc()
        sentTooMuch(peerId)
        onLowScore(peerId)
      },
      onLowScore,
      isTrusted: exempt.has,
    },
    helpfulFirst: () =>
      (deps.host()?.connections() ?? [])
        .map(({ peerId }) => peerId)
        .filter((peerId) => !requests.hasLied(peerId))
        .filter((peerId) => clock.nowMs() - (book.record(peerId).notServingMs ?? Number.NEGATIVE_INFINITY) > NOT_SERVING_MS)
        .sort((a, b) => book.record(a).unhelpful - book.record(b).unhelpful),
    answered(peerId, outcome) {
      if (outcome === 'not-served') return book.notServing(peerId, clock.nowMs())
      book.answered(peerId, outcome === 'payload', clock.nowMs())
      // a peer that lacks a block does nothing wrong
      if (outcome !== 'refused') requests.note(peerId, EFFECTS[outcome])
      if (outcome === 'lie' || outcome === 'bad') onLowScore(peerId)
    },
    sentTooMuch,
    async load() {
      await bans.load()
      // naming a peer lifts its ban for a low score
      for (const peerId of exempt.named) if (bans.findPeer(peerId)?.untilMs != null) await bans.lift('peer', peerId)
    },
    async startDiscovery(host) {
      if (options.discovery === null) return null
      const [{ discoverChain }, { createNodeRecords }] = await Promise.all([
        import('../discovery/discovery.ts'),
        import('@keelson/runtime/discovery'),
      ])
      return discoverChain(options.discovery, {
        chainId: settings.chainId,
        nodeKey: settings.nodeKey,
        host: settings.host,
        tcpPort: tcpPortOf(host),
        records: createNodeRecords(store, Uint8Array.of(BUCKETS.discoveredNodes)),
        wantsPeers: () => host.connections().length < options.low,
        onFound(node) {
          book.discovered(node.peerId, node.enr, settings.chainId)
          candidates.add(node)
        },
        isRefused: (ip) => isRefused(ip) || !inside(ip),
        isInside: inside,
        networks: options.networks,
        mapped: () => (options.nat ? mappedAddress(host.addresses()) : null),
        clock,
        log,
        ...metrics,
      })
    },
    keep: (host, signal) =>
      createPeerKeeper(options, {
        host,
        scoreBans,
        bans,
        refusesDial: rulesFor(host.connections).outbound,
        candidates,
        book,
        clock,
        log,
        ...metrics,
      }).run(signal),
  }
}

function tcpPortOf(host: GossipHost): number {
  const ports = host.listens().map((address) => /\/tcp\/(\d+)/.exec(address)?.[1])
  return Number(ports.find((port) => port !== undefined) ?? 0)
}
