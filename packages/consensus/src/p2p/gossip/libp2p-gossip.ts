/**
 * Unsafe blocks over libp2p: TCP, noise, yamux, gossipsub without message signatures, and whom to have for peers. The
 * libraries are loaded at start, behind the polyfill they need. specs: protocol/rollup-node-p2p.md
 */

import type { Clock, Crypto, Logger, PayloadVersion } from '@keelson/primitives'
import type { KeyValueStore, Metrics } from '@keelson/runtime'
import type { DegradedStates } from '../../degraded-states.ts'
import { ConsensusError, messageOf } from '../../errors.ts'
import type { AttestationChannel, BlockSigner, GossipPeer, GossipVerdict, PayloadServer } from '../../ports.ts'
import { attestationsTopic, MAX_ATTESTATION_MESSAGE_BYTES } from '../attestations/attestation-message.ts'
import type { Discovery } from '../discovery/discovery.ts'
import {
  encodePayloadRefusal,
  MAX_PAYLOAD_ANSWER_BYTES,
  PAYLOAD_REQUEST_BYTES,
  payloadProtocol,
  specifiedPayloadProtocol,
} from '../exchange/payload-exchange.ts'
import { requestPayload } from '../exchange/request-payload.ts'
import type { GossipHost } from '../host/libp2p-host.ts'
import { createPeering } from '../peers/peering.ts'
import type { PeeringOptions } from '../peers/peering-options.ts'
import { keepStaticPeers } from '../peers/static-peers.ts'
import type { BlockJudgement, BlockValidator } from './block-validator.ts'
import { encodeBlockMessage, ownBlock } from './encode-message.ts'
import { blocksTopic, messageId } from './message-id.ts'
import { createMessageJudge } from './message-judge.ts'
import { MAX_GOSSIP_BYTES, snappyDecompress } from './snappy-block.ts'
import type { UnsafeGossip } from './unsafe-gossip.ts'
import '../host/promise-polyfill.ts'

export interface Libp2pGossipOptions {
  readonly chainId: bigint
  readonly blockTimeMs: number
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** 32-byte secp256k1 key: the node's network identity. */
  readonly nodeKey: Uint8Array
  /** Multiaddresses with peer id, dialled until connected and again when lost. */
  readonly staticPeers: readonly string[]
  /** Multiaddresses under which others reach this node, when they differ from where it listens. */
  readonly announce: readonly string[]
  readonly peering: PeeringOptions
}

export interface Libp2pGossipDependencies {
  readonly validator: BlockValidator
  /** Null: this node only listens. */
  readonly signer: BlockSigner | null
  /** Buckets 0x84 and 0x85 of it; closed by whoever opened it. */
  readonly store: KeyValueStore
  readonly crypto: Crypto
  readonly clock: Clock
  readonly log: Logger
  readonly degraded: DegradedStates
  readonly metrics?: Metrics
  readonly onJudgement?: (judgement: BlockJudgement, from: string) => void
}

const VERSIONS: readonly PayloadVersion[] = [1, 2, 3, 4]

export function createLibp2pGossip(options: Libp2pGossipOptions, deps: Libp2pGossipDependencies): UnsafeGossip {
  const { clock, metrics } = deps
  const log = deps.log.child('p2p')
  const topics = new Map(VERSIONS.map((version) => [blocksTopic(options.chainId, version), version]))
  const stopping = new AbortController()
  let handler: Parameters<UnsafeGossip['onPayload']>[0] | null = null
  let signedHandler: Parameters<UnsafeGossip['onSignedBlock']>[0] | null = null
  const attestations = attestationsTopic(options.chainId)
  let judgeAttestation: Parameters<AttestationChannel['open']>[0] | null = null
  let server: PayloadServer | null = null
  let host: GossipHost | null = null
  let discovery: Discovery | null = null
  let upkeep: Promise<unknown> = Promise.resolve()
  const peering = createPeering(options, {
    ...deps,
    log,
    topics: [...topics.keys()],
    host: () => host,
    discovery: () => discovery,
  })
  const { book } = peering
  metrics?.gauge('p2p_peers', 'connected peers', [], () => host?.connections().length ?? 0)
  const asked = metrics?.counter('payload_requests_total', 'blocks asked of peers, by what came of it', ['outcome'])
  const judge = createMessageJudge({
    topics,
    validator: deps.validator,
    clock,
    log,
    ...(metrics === undefined ? {} : { metrics }),
    onJudgement(judgement, from) {
      deps.onJudgement?.(judgement, from)
      if (judgement.verdict !== 'accept') return
      book.firstDelivery(from, clock.nowMs())
      signedHandler?.(judgement.signed)
      handler?.(judgement.envelope, from)
    },
  })

  /** Reports whether a message will be rejected for its size, so that it is not decompressed to compute its id. */
  function isTooLong(topic: string, data: Uint8Array): boolean {
    return topic === attestations && data.length > MAX_ATTESTATION_MESSAGE_BYTES
  }

  async function judgeMessage(topic: string, data: Uint8Array, from: string): Promise<GossipVerdict> {
    const verdict = topic === attestations ? await (judgeAttestation?.(data, from) ?? 'ignore') : judge(topic, data, from)
    if (verdict === 'excess') peering.sentTooMuch(from)
    return verdict
  }

  async function startHost(): Promise<GossipHost> {
    const { startGossipHost } = await import('../host/libp2p-host.ts')
    return startGossipHost({
      ...options,
      ...peering.hostOptions,
      topics: [...topics.keys()],
      quietTopics: [attestations],
      maxMessageBytes: MAX_GOSSIP_BYTES,
      clock,
      messageId: (topic, data) => messageId(deps.crypto, topic, data, isTooLong(topic, data) ? null : snappyDecompress(data)),
      judge: judgeMessage,
      requests: {
        protocol: payloadProtocol(options.chainId),
        aliases: [specifiedPayloadProtocol(options.chainId)],
        maxRequestBytes: PAYLOAD_REQUEST_BYTES,
        maxAnswerBytes: MAX_PAYLOAD_ANSWER_BYTES,
        answer: async (request, from) => (await server?.answer(request, from)) ?? encodePayloadRefusal('failed'),
      },
    }).catch((cause: unknown) => {
      throw new ConsensusError(
        'consensus/gossip-start',
        'critical',
        `gossip cannot listen on ${options.host}:${options.port}: ${messageOf(cause)}; is the port taken? choose another, or switch gossip off`,
        { host: options.host, port: options.port },
        { cause },
      )
    })
  }

  async function send(topic: string, message: Uint8Array): Promise<void> {
    if (host === null) throw new ConsensusError('consensus/gossip-publish', 'temporary', 'gossip is not running')
    await host.publish(topic, message).catch((cause: unknown) => {
      throw new ConsensusError('consensus/gossip-publish', 'temporary', `gossip failed: ${messageOf(cause)}`, {}, { cause })
    })
  }

  return {
    network: peering.network,
    onPayload(newHandler) {
      handler = newHandler
    },
    onSignedBlock(newHandler) {
      signedHandler = newHandler
    },
    attestations: {
      open(judge) {
        judgeAttestation = judge
        host?.join(attestations)
      },
      publish: (message) => send(attestations, message),
    },
    serve(blocks) {
      server = blocks
    },
    requestPayload: (number, hash) =>
      requestPayload(
        {
          peers: peering.helpfulFirst,
          exchange(peer, request, signal) {
            if (host === null) return Promise.reject(new ConsensusError('consensus/gossip-stopped', 'temporary', 'gossip is not running'))
            return host.request(peer, request, signal)
          },
          judged(peer, outcome) {
            asked?.inc(1, { outcome })
            peering.answered(peer, outcome)
          },
        },
        number,
        hash,
        stopping.signal,
      ),
    async publish(envelope) {
      const block = await encodeBlockMessage(options.chainId, deps.signer, envelope)
      const own = ownBlock(block, deps.signer)
      if (own !== null) signedHandler?.(own)
      await send(blocksTopic(options.chainId, block.version), block.message)
    },
    async start() {
      await peering.load()
      const started = await startHost()
      host = started
      if (judgeAttestation !== null) started.join(attestations)
      log.info('gossip listens', { peerId: started.peerId, addresses: started.addresses().join(' ') })
      discovery = await peering.startDiscovery(started)
      upkeep = Promise.all([
        keepStaticPeers(options.staticPeers, { connect: started.connect, clock, degraded: deps.degraded }, stopping.signal),
        peering.keep(started, stopping.signal),
      ])
    },
    async stop() {
      stopping.abort()
      await discovery?.stop()
      await upkeep
      await host?.stop()
      discovery = null
      host = null
    },
    peers: (): readonly GossipPeer[] =>
      host?.connections().map((connection) => ({
        peerId: connection.peerId,
        addresses: [connection.address],
        direction: connection.direction,
        connectedSinceMs: connection.openedMs,
        firstDeliveries: book.record(connection.peerId).firstDeliveries,
        score: peering.score(connection.peerId),
      })) ?? [],
    self: () => ({ peerId: host?.peerId ?? '', addresses: host?.addresses() ?? [] }),
  }
}
