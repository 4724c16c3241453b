/** specs: protocol/rollup-node-p2p.md#libp2p, #heartbeat-and-parameters */
import './promise-polyfill.ts'
import type { PeerScore, PeerScoreStatsDump } from '@chainsafe/libp2p-gossipsub/score'
import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { bytesToHex, type Clock } from '@keelson/primitives'
import type { ConnectionRefusal, ConnectionRules, OpenConnection } from '@keelson/runtime/peers'
import { privateKeyFromRaw } from '@libp2p/crypto/keys'
import { identify } from '@libp2p/identify'
import { type PrivateKey, TopicValidatorResult } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { tcp } from '@libp2p/tcp'
import { uPnPNAT } from '@libp2p/upnp-nat'
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { messageOf } from '../../errors.ts'
import type { GossipVerdict } from '../../ports.ts'
import { SCORE_THRESHOLDS, scoreParams } from '../gossip/score-params.ts'
import { createConnectionGuard } from './connection-guard.ts'
import { dialOrForget, forgetPeersGone } from './forget-peers.ts'
import { createGossipParts } from './gossip-parts.ts'
import { type GossipGuard, guardedGossipsub } from './guarded-gossipsub.ts'
import { guardedPing } from './guarded-ping.ts'
import { createLibp2pGater, ipOf } from './libp2p-gater.ts'
import { tcpMultiaddress } from './listen-address.ts'
import { identityOf, type PeerIdentity } from './peer-identity.ts'
import { type RequestProtocol, sendRequest, serveRequests } from './request-streams.ts'

export interface GossipHostOptions {
  readonly host: string
  readonly port: number
  readonly nodeKey: Uint8Array
  readonly announce: readonly string[]
  readonly nat: boolean
  readonly maxConnections: number
  readonly blockTimeMs: number
  readonly topics: readonly string[]
  /** Topics subscribed by `join`, which have little weight in scores. */
  readonly quietTopics: readonly string[]
  readonly maxMessageBytes: number
  readonly messageId: (topic: string, data: Uint8Array) => Uint8Array
  readonly judge: (topic: string, data: Uint8Array, from: string) => Promise<GossipVerdict>
  readonly onBadFrame: (peerId: string) => void
  readonly onLowScore: (peerId: string) => void
  readonly isTrusted: (peerId: string) => boolean
  readonly clock: Clock
  readonly applicationScore: (peerId: string) => number
  readonly rules: (connections: () => readonly OpenConnection[]) => ConnectionRules
  readonly onRefusal: (refusal: ConnectionRefusal, direction: 'inbound' | 'outbound', who: string) => void
  readonly requests: RequestProtocol
}

export interface HostConnection extends OpenConnection {
  readonly address: string
  readonly openedMs: number
}

export type GossipStats = PeerScoreStatsDump[string]

export interface GossipHost {
  readonly peerId: string
  addresses(): readonly string[]
  listens(): readonly string[]
  connections(): readonly HostConnection[]
  identity(peerId: string): Promise<PeerIdentity>
  connect(address: string, signal: AbortSignal): Promise<string | null>
  disconnect(peerId: string): Promise<void>
  ping(peerId: string, signal: AbortSignal): Promise<number>
  join(topic: string): void
  publish(topic: string, data: Uint8Array): Promise<void>
  request(peerId: string, data: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
  /** Null when gossip does not know the peer; up to half a second old. */
  score(peerId: string): number | null
  gossipStats(peerId: string): GossipStats | null
  subscribers(topic: string): readonly string[]
  stop(): Promise<void>
}

interface Listening {
  readonly transportManager: { getAddrs(): readonly Multiaddr[] }
}

interface GossipInternals {
  /** Ids of messages that are not validated again, from any peer. */
  readonly seenCache: { readonly entries: Map<string, unknown> }
}

const VERDICTS = {
  accept: TopicValidatorResult.Accept,
  ignore: TopicValidatorResult.Ignore,
  reject: TopicValidatorResult.Reject,
  defer: TopicValidatorResult.Ignore,
  excess: TopicValidatorResult.Ignore,
}
const USER_AGENT = 'keelson'
const HEARTBEAT_MS = 500
const SEEN_TTL_MS = 130 * HEARTBEAT_MS
const DIAL_TIMEOUT_MS = 5_000
const MAX_STREAMS = 128
/** Limit on connections before encryption; stalled ones must not block others. */
const MAX_PENDING_CONNECTIONS = 64
const RPC_OVERHEAD_BYTES = 64 * 1024
/** Limit per peer and protocol version; each stream may buffer most of a frame, and gossipsub reads only the newest. */
const MAX_GOSSIP_STREAMS = 2

export async function startGossipHost(options: GossipHostOptions): Promise<GossipHost> {
  const open = (): readonly HostConnection[] =>
    (starting?.getConnections() ?? []).map((connection) => ({
      peerId: connection.remotePeer.toString(),
      ip: ipOf(connection.remoteAddr),
      direction: connection.direction,
      address: connection.remoteAddr.toString(),
      openedMs: connection.timeline.open,
    }))
  const idOf = new WeakMap<object, string>()
  const guard = createConnectionGuard(options)
  const addressOf = (peerId: string) => open().find((connection) => connection.peerId === peerId)?.ip ?? null
  const partsOf = createGossipParts({ ...options, addressOf })
  let starting: { getConnections: (typeof node)['getConnections'] } | null = null
  const node = await createLibp2p({
    start: false,
    nodeInfo: { userAgent: USER_AGENT },
    // The key library exports a later version of the same type.
    privateKey: privateKeyFromRaw(options.nodeKey) as unknown as PrivateKey,
    addresses: {
      listen: [tcpMultiaddress(options.host, options.port)],
      ...(options.announce.length === 0 ? {} : { announce: [...options.announce] }),
    },
    transports: [guard.transport(tcp())],
    connectionEncrypters: [guard.encrypter(noise())],
    streamMuxers: [guard.muxer(yamux({ maxInboundStreams: MAX_STREAMS }))],
    connectionGater: createLibp2pGater(options.rules(open), options.onRefusal),
    connectionManager: {
      maxConnections: options.maxConnections,
      dialTimeout: DIAL_TIMEOUT_MS,
      inboundUpgradeTimeout: DIAL_TIMEOUT_MS,
      maxIncomingPendingConnections: MAX_PENDING_CONNECTIONS,
    },
    services: {
      identify: identify(),
      ping: guardedPing(options.clock),
      listening:
        ({ transportManager }: Listening) =>
        () =>
          transportManager.getAddrs().map(String),
      ...(options.nat ? { nat: uPnPNAT({ autoConfirmAddress: true }) } : {}),
      pubsub: gossipService(options, idOf, partsOf),
    },
  })
  starting = node
  forgetPeersGone(node)
  await node.start()
  const { pubsub } = node.services
  const gossip = pubsub as unknown as GossipInternals
  const scores: PeerScore = pubsub.score
  const join = (topic: string) => {
    pubsub.topicValidators.set(topic, async (peer, message) => {
      const verdict = await options.judge(topic, message.data, peer.toString())
      // otherwise one peer could keep a message from this node by sending it first
      if (verdict === 'defer' || verdict === 'excess') gossip.seenCache.entries.delete(idOf.get(message) ?? '')
      return VERDICTS[verdict]
    })
    pubsub.subscribe(topic)
  }
  for (const topic of options.topics) join(topic)
  await serveRequests(node, options.requests)
  const connectionOf = (peerId: string) => node.getConnections().find(({ remotePeer }) => remotePeer.toString() === peerId)
  return {
    peerId: node.peerId.toString(),
    addresses: () => node.getMultiaddrs().map(String),
    listens: node.services.listening,
    connections: () => [...new Map([...open()].reverse().map((connection) => [connection.peerId, connection])).values()].reverse(),
    identity: (peerId) => identityOf(node, peerId),
    async connect(address, signal) {
      try {
        const target = multiaddr(address)
        const peerId = target.getPeerId()
        if (peerId === node.peerId.toString() || (peerId !== null && connectionOf(peerId) !== undefined)) return null
        await dialOrForget(node, target, signal)
        return null
      } catch (error) {
        return messageOf(error)
      }
    },
    disconnect: (peerId) => node.hangUp(peerIdFromString(peerId)),
    ping: (peerId, signal) => node.services.ping.ping(peerIdFromString(peerId), { signal }),
    join,
    async publish(topic, data) {
      await pubsub.publish(topic, data)
    },
    async request(peerId, data, signal) {
      const connection = connectionOf(peerId)
      if (connection === undefined) throw new Error(`peer ${peerId} is not connected`)
      return sendRequest(connection, options.requests, data, signal)
    },
    score: (peerId) => (scores.peerStats.has(peerId) ? scores.score(peerId) : null),
    gossipStats: (peerId) => scores.peerStats.get(peerId) ?? null,
    subscribers: (topic) => pubsub.getSubscribers(topic).map(String),
    stop: async () => node.stop(),
  }
}

function gossipService(options: GossipHostOptions, idOf: WeakMap<object, string>, partsOf: GossipGuard['partsOf']) {
  return guardedGossipsub(
    {
      D: 8,
      Dlo: 6,
      Dhi: 12,
      Dlazy: 6,
      heartbeatInterval: HEARTBEAT_MS,
      fanoutTTL: 24_000,
      mcacheLength: 12,
      mcacheGossip: 3,
      seenTTL: SEEN_TTL_MS,
      globalSignaturePolicy: 'StrictNoSign',
      allowPublishToZeroTopicPeers: true,
      emitSelf: false,
      doPX: false,
      floodPublish: true,
      allowedTopics: [...options.topics, ...options.quietTopics],
      maxInboundDataLength: options.maxMessageBytes + RPC_OVERHEAD_BYTES,
      msgIdFn(message) {
        const id = options.messageId(message.topic, message.data)
        idOf.set(message, bytesToHex(id))
        return id
      },
      msgIdToStrFn: bytesToHex,
      scoreParams: scoreParams(options, options.blockTimeMs, options.applicationScore),
      scoreThresholds: SCORE_THRESHOLDS,
      maxInboundStreams: MAX_GOSSIP_STREAMS,
      maxOutboundBufferSize: 2 * options.maxMessageBytes,
    },
    {
      partsOf,
      topicsInOrder: new Set(options.topics),
      lowestScore: SCORE_THRESHOLDS.graylistThreshold,
      onBadFrame: options.onBadFrame,
      onLowScore: options.onLowScore,
    },
  )
}
