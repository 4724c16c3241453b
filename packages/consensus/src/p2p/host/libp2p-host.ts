/**
 * libp2p and gossipsub, set up as the specification asks, behind a handful of functions. Loaded on demand.
 * specs: protocol/rollup-node-p2p.md#libp2p, #heartbeat-and-parameters
 */
import './promise-polyfill.ts'
import { gossipsub } from '@chainsafe/libp2p-gossipsub'
import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { concatBytes } from '@keelson/primitives'
import { privateKeyFromRaw } from '@libp2p/crypto/keys'
import { identify } from '@libp2p/identify'
import { type PrivateKey, type Stream, TopicValidatorResult } from '@libp2p/interface'
import { ping } from '@libp2p/ping'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { messageOf } from '../../errors.ts'
import type { GossipPeer } from '../../ports.ts'

export interface GossipHostOptions {
  readonly host: string
  readonly port: number
  readonly nodeKey: Uint8Array
  readonly announce: readonly string[]
  readonly topics: readonly string[]
  readonly maxMessageBytes: number
  readonly messageId: (topic: string, data: Uint8Array) => Uint8Array
  readonly judge: (topic: string, data: Uint8Array, from: string) => 'accept' | 'ignore' | 'reject'
  /** Requests of peers: one message in, one out. */
  readonly requests: RequestProtocol
}

export interface RequestProtocol {
  readonly protocol: string
  readonly maxRequestBytes: number
  readonly maxAnswerBytes: number
  readonly answer: (request: Uint8Array, from: string) => Promise<Uint8Array>
}

export interface GossipHost {
  readonly peerId: string
  addresses(): readonly string[]
  peers(): readonly Omit<GossipPeer, 'firstDeliveries'>[]
  /** Null when connected (already), else why not. */
  connect(address: string, signal: AbortSignal): Promise<string | null>
  publish(topic: string, data: Uint8Array): Promise<void>
  /** Sends one request and returns the answer. Rejects when the peer is gone, does not speak the protocol, or takes too long. */
  request(peerId: string, data: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
  stop(): Promise<void>
}

const VERDICTS = { accept: TopicValidatorResult.Accept, ignore: TopicValidatorResult.Ignore, reject: TopicValidatorResult.Reject }
const HEARTBEAT_MS = 500
const SEEN_TTL_MS = 130 * HEARTBEAT_MS
const MAX_CONNECTIONS = 100
const DIAL_TIMEOUT_MS = 5_000
/** For a whole exchange, on either side. */
const EXCHANGE_TIMEOUT_MS = 10_000
const MAX_STREAMS_OF_A_PEER = 32
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
  const { protocol, maxRequestBytes, maxAnswerBytes, answer } = options.requests
  await node.handle(
    protocol,
    ({ stream, connection }) => {
      const serve = async () => {
        const request = await readAll(stream, maxRequestBytes, AbortSignal.timeout(EXCHANGE_TIMEOUT_MS))
        await stream.sink([await answer(request, connection.remotePeer.toString())])
        await stream.close()
      }
      // a peer that breaks off hurts only itself
      serve().catch((error: unknown) => stream.abort(error instanceof Error ? error : new Error(messageOf(error))))
    },
    { maxInboundStreams: MAX_STREAMS_OF_A_PEER, maxOutboundStreams: MAX_STREAMS_OF_A_PEER },
  )
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
    async request(peerId, data, signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(EXCHANGE_TIMEOUT_MS)])
      const connection = node.getConnections().find(({ remotePeer }) => remotePeer.toString() === peerId)
      if (connection === undefined) throw new Error(`peer ${peerId} is not connected`)
      const stream = await connection.newStream(protocol, { signal: limit })
      try {
        await stream.sink([data])
        const received = await readAll(stream, maxAnswerBytes, limit)
        await stream.close({ signal: limit })
        return received
      } catch (error) {
        stream.abort(error instanceof Error ? error : new Error(messageOf(error)))
        throw error
      }
    },
    stop: async () => node.stop(),
  }
}

/** What comes over a stream until the other side ends it. Rejects beyond `maxBytes`, and when aborted. */
async function readAll(stream: Stream, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const onAbort = () => stream.abort(new Error('the other side took too long'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    signal.throwIfAborted()
    const parts: Uint8Array[] = []
    let total = 0
    for await (const part of stream.source) {
      total += part.byteLength
      if (total > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
      parts.push(part.slice())
    }
    return concatBytes(...parts)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
