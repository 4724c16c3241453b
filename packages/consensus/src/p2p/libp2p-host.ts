/**
 * libp2p and gossipsub, set up as the specification asks, behind a handful of functions. Loaded on demand.
 * specs: protocol/rollup-node-p2p.md#libp2p, #heartbeat-and-parameters
 */
import './promise-polyfill.ts'
import { gossipsub } from '@chainsafe/libp2p-gossipsub'
import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { privateKeyFromRaw } from '@libp2p/crypto/keys'
import { identify } from '@libp2p/identify'
import { type PrivateKey, TopicValidatorResult } from '@libp2p/interface'
import { ping } from '@libp2p/ping'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { messageOf } from '../errors.ts'
import type { GossipPeer } from '../ports.ts'

export interface GossipHostOptions {
  readonly host: string
  readonly port: number
  readonly nodeKey: Uint8Array
  readonly announce: readonly string[]
  readonly topics: readonly string[]
  readonly maxMessageBytes: number
  readonly messageId: (topic: string, data: Uint8Array) => Uint8Array
  readonly judge: (topic: string, data: Uint8Array, from: string) => 'accept' | 'ignore' | 'reject'
}

export interface GossipHost {
  readonly peerId: string
  addresses(): readonly string[]
  peers(): readonly Omit<GossipPeer, 'firstDeliveries'>[]
  /** Null when connected (already), else why not. */
  connect(address: string, signal: AbortSignal): Promise<string | null>
  publish(topic: string, data: Uint8Array): Promise<void>
  stop(): Promise<void>
}

const VERDICTS = { accept: TopicValidatorResult.Accept, ignore: TopicValidatorResult.Ignore, reject: TopicValidatorResult.Reject }
const HEARTBEAT_MS = 500
const SEEN_TTL_MS = 130 * HEARTBEAT_MS
const MAX_CONNECTIONS = 100
const DIAL_TIMEOUT_MS = 5_000
/** Room for the envelope around a message. */
const RPC_OVERHEAD_BYTES = 64 * 1024

export async function startGossipHost(options: GossipHostOptions): Promise<GossipHost> {
  const node = await createLibp2p({
    // the key library brings a later release of the same types
    privateKey: privateKeyFromRaw(options.nodeKey) as unknown as PrivateKey,
    addresses: {
      listen: [`/${options.host.includes(':') ? 'ip6' : 'ip4'}/${options.host}/tcp/${options.port}`],
      ...(options.announce.length === 0 ? {} : { announce: [...options.announce] }),
    },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionManager: { maxConnections: MAX_CONNECTIONS, dialTimeout: DIAL_TIMEOUT_MS },
    services: {
      identify: identify(),
      ping: ping(),
      pubsub: gossipsub({
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
        allowedTopics: [...options.topics],
        maxInboundDataLength: options.maxMessageBytes + RPC_OVERHEAD_BYTES,
        msgIdFn: (message) => options.messageId(message.topic, message.data),
      }),
    },
  })
  const { pubsub } = node.services
  for (const topic of options.topics) {
    pubsub.topicValidators.set(topic, (peer, message) => VERDICTS[options.judge(topic, message.data, peer.toString())])
    pubsub.subscribe(topic)
  }
  const score = (pubsub as unknown as { getScore?: (peerId: string) => number }).getScore?.bind(pubsub)
  return {
    peerId: node.peerId.toString(),
    addresses: () => node.getMultiaddrs().map(String),
    peers: () =>
      node.getConnections().map((connection) => {
        const peerId = connection.remotePeer.toString()
        return {
          peerId,
          addresses: [connection.remoteAddr.toString()],
          direction: connection.direction,
          connectedSinceMs: connection.timeline.open,
          score: score?.(peerId) ?? null,
          protocols: [],
        }
      }),
    async connect(address, signal) {
      try {
        const target = multiaddr(address)
        const peerId = target.getPeerId()
        if (peerId === node.peerId.toString() || node.getConnections().some((c) => c.remotePeer.toString() === peerId)) return null
        await node.dial(target, { signal })
        return null
      } catch (error) {
        return messageOf(error)
      }
    },
    async publish(topic, data) {
      await pubsub.publish(topic, data)
    },
    stop: async () => node.stop(),
  }
}
