/** Gossip of unsafe blocks over libp2p, which loads at start, after the polyfill it needs. specs: protocol/rollup-node-p2p.md */

import type { Clock, Crypto, Logger, PayloadEnvelope, PayloadVersion } from '@keelson/primitives'
import { describeHolder, findListener, type KeyValueStore, type Metrics } from '@keelson/runtime'
import type { Discovery } from '@keelson/runtime/discovery'
import type { DegradedStates } from '../../degraded-states.ts'
import { ConsensusError, messageOf } from '../../errors.ts'
import type { AttestationChannel, BlockSigner, GossipPeer, GossipSelf, GossipVerdict, PayloadServer } from '../../ports.ts'
import { attestationsTopic, MAX_ATTESTATION_MESSAGE_BYTES } from '../attestations/attestation-message.ts'
import {
  encodePayloadRefusal,
  MAX_PAYLOAD_ANSWER_BYTES,
  PAYLOAD_REQUEST_BYTES,
  payloadProtocol,
  specifiedPayloadProtocol,
} from '../exchange/payload-exchange.ts'
import { requestPayload } from '../exchange/request-payload.ts'
import type { GossipHost } from '../host/libp2p-host.ts'
import { createPeering, type Peering } from '../peers/peering.ts'
import type { PeeringOptions } from '../peers/peering-options.ts'
import { keepStaticPeers } from '../peers/static-peers.ts'
import type { BlockJudgement, BlockValidator } from './block-validator.ts'
import { encodeBlockMessage, ownBlock } from './encode-message.ts'
import { blocksTopic, messageId } from './message-id.ts'
import { createMessageJudge, type MessageJudge } from './message-judge.ts'
import { MAX_GOSSIP_BYTES, snappyDecompress } from './snappy-block.ts'
import type { UnsafeGossip } from './unsafe-gossip.ts'
import '../host/promise-polyfill.ts'

export interface Libp2pGossipOptions {
  readonly chainId: bigint
  readonly blockTimeMs: number
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly nodeKey: Uint8Array
  readonly staticPeers: readonly string[]
  /** Multiaddresses at which other nodes reach this one, if different from the listening address. */
  readonly announce: readonly string[]
  readonly peering: PeeringOptions
}

export interface Libp2pGossipDependencies {
  readonly validator: BlockValidator
  /** Null: this node does not publish. */
  readonly signer: BlockSigner | null
  /** Uses buckets 0x84 and 0x85; the caller closes it. */
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
  return new Libp2pGossip(options, deps)
}

class Libp2pGossip implements UnsafeGossip {
  readonly network: UnsafeGossip['network']
  readonly attestations: AttestationChannel
  readonly #options: Libp2pGossipOptions
  readonly #deps: Libp2pGossipDependencies
  readonly #log: Logger
  readonly #topics: ReadonlyMap<string, PayloadVersion>
  readonly #attestationsTopic: string
  readonly #peering: Peering
  readonly #judge: MessageJudge
  readonly #requested: ReturnType<Metrics['counter']> | undefined
  readonly #stopping = new AbortController()
  #payloadHandler: Parameters<UnsafeGossip['onPayload']>[0] | null = null
  #signedHandler: Parameters<UnsafeGossip['onSignedBlock']>[0] | null = null
  #unreadableHandler: Parameters<UnsafeGossip['onUnreadable']>[0] | null = null
  #judgeAttestation: Parameters<AttestationChannel['open']>[0] | null = null
  #server: PayloadServer | null = null
  #host: GossipHost | null = null
  #discovery: Discovery | null = null
  #upkeep: Promise<unknown> = Promise.resolve()

  constructor(options: Libp2pGossipOptions, deps: Libp2pGossipDependencies) {
    const { validator, clock, metrics } = deps
    this.#options = options
    this.#deps = deps
    this.#log = deps.log.child('p2p')
    this.#topics = new Map(VERSIONS.map((version) => [blocksTopic(options.chainId, version), version]))
    this.#attestationsTopic = attestationsTopic(options.chainId)
    const names = [...this.#topics.keys()]
    const parts = { topics: names, host: () => this.#host, discovery: () => this.#discovery }
    this.#peering = createPeering(options, { ...deps, ...parts, log: this.#log })
    this.network = this.#peering.network
    metrics?.gauge('p2p_peers', 'connected peers', [], () => this.#host?.connections().length ?? 0)
    this.#requested = metrics?.counter('payload_requests_total', 'blocks requested from peers, by result', ['outcome'])
    this.#judge = createMessageJudge({
      topics: this.#topics,
      validator,
      clock,
      log: this.#log,
      ...(metrics === undefined ? {} : { metrics }),
      onJudgement: (judgement, from) => this.#onJudgement(judgement, from),
    })
    this.attestations = {
      open: (judge) => {
        this.#judgeAttestation = judge
        this.#host?.join(this.#attestationsTopic)
      },
      publish: (message) => this.#send(this.#attestationsTopic, message),
    }
  }

  onPayload(handler: Parameters<UnsafeGossip['onPayload']>[0]): void {
    this.#payloadHandler = handler
  }

  onSignedBlock(handler: Parameters<UnsafeGossip['onSignedBlock']>[0]): void {
    this.#signedHandler = handler
  }

  onUnreadable(handler: Parameters<UnsafeGossip['onUnreadable']>[0]): void {
    this.#unreadableHandler = handler
  }

  serve(blocks: PayloadServer): void {
    this.#server = blocks
  }

  requestPayload(...[number, hash]: Parameters<UnsafeGossip['requestPayload']>): ReturnType<UnsafeGossip['requestPayload']> {
    const peers: Parameters<typeof requestPayload>[0] = {
      peers: this.#peering.helpfulFirst,
      exchange: async (peer, request, signal) => {
        if (this.#host === null) throw new ConsensusError('consensus/gossip-stopped', 'temporary', 'gossip is not running')
        return this.#host.request(peer, request, signal)
      },
      judged: (peer, outcome) => {
        this.#requested?.inc(1, { outcome })
        this.#peering.answered(peer, outcome)
      },
    }
    return requestPayload(peers, number, hash, this.#stopping.signal)
  }

  async publish(envelope: PayloadEnvelope): Promise<void> {
    const { chainId } = this.#options
    const block = await encodeBlockMessage(chainId, this.#deps.signer, envelope)
    const own = ownBlock(block, this.#deps.signer)
    if (own !== null) this.#signedHandler?.(own)
    await this.#send(blocksTopic(chainId, block.version), block.message)
  }

  async start(): Promise<void> {
    const { clock, degraded } = this.#deps
    await this.#peering.load()
    const host = await this.#startHost()
    this.#host = host
    if (this.#judgeAttestation !== null) host.join(this.#attestationsTopic)
    this.#log.info('gossip listens', { peerId: host.peerId, addresses: host.addresses().join(' ') })
    this.#discovery = await this.#peering.startDiscovery(host)
    this.#upkeep = Promise.all([
      keepStaticPeers(this.#options.staticPeers, { connect: host.connect, clock, degraded }, this.#stopping.signal),
      this.#peering.keep(host, this.#stopping.signal),
    ])
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#discovery?.stop()
    await this.#upkeep
    await this.#host?.stop()
    this.#discovery = null
    this.#host = null
  }

  peers(): readonly GossipPeer[] {
    const connections = this.#host?.connections() ?? []
    return connections.map(({ peerId, address, direction, openedMs }) => ({
      peerId,
      addresses: [address],
      direction,
      connectedSinceMs: openedMs,
      firstDeliveries: this.#peering.book.record(peerId).firstDeliveries,
      score: this.#peering.score(peerId),
    }))
  }

  self(): GossipSelf {
    return { peerId: this.#host?.peerId ?? '', addresses: this.#host?.addresses() ?? [] }
  }

  async #startHost(): Promise<GossipHost> {
    const { chainId, host, port } = this.#options
    const { startGossipHost } = await import('../host/libp2p-host.ts')
    return startGossipHost({
      ...this.#options,
      ...this.#peering.hostOptions,
      topics: [...this.#topics.keys()],
      quietTopics: [this.#attestationsTopic],
      maxMessageBytes: MAX_GOSSIP_BYTES,
      clock: this.#deps.clock,
      messageId: (topic, data) => messageId(this.#deps.crypto, topic, data, this.#isTooLong(topic, data) ? null : snappyDecompress(data)),
      judge: (topic, data, from) => this.#judgeMessage(topic, data, from),
      requests: {
        protocol: payloadProtocol(chainId),
        aliases: [specifiedPayloadProtocol(chainId)],
        maxRequestBytes: PAYLOAD_REQUEST_BYTES,
        maxAnswerBytes: MAX_PAYLOAD_ANSWER_BYTES,
        answer: async (request, from) => (await this.#server?.answer(request, from)) ?? encodePayloadRefusal('failed'),
      },
    }).catch(async (cause: unknown) => {
      // libp2p names neither the port nor the system's error.
      const holder = await findListener(host, port)
      const why = holder === null ? messageOf(cause) : `${describeHolder(holder)} has the port`
      const problem = `gossip cannot listen on ${host}:${port}: ${why}`
      const remedy = 'stop that program, choose another port with --p2p.port, or switch gossip off'
      throw new ConsensusError('consensus/gossip-start', 'critical', `${problem}; ${remedy}`, { host, port }, { cause })
    })
  }

  async #judgeMessage(topic: string, data: Uint8Array, from: string): Promise<GossipVerdict> {
    const isAttestation = topic === this.#attestationsTopic
    const verdict = isAttestation ? await (this.#judgeAttestation?.(data, from) ?? 'ignore') : this.#judge(topic, data, from)
    if (verdict === 'excess') this.#peering.sentTooMuch(from)
    return verdict
  }

  #onJudgement(judgement: BlockJudgement, from: string): void {
    this.#deps.onJudgement?.(judgement, from)
    if (judgement.verdict === 'ignore' && judgement.reason === 'newer-rules') this.#unreadableHandler?.(judgement.block)
    if (judgement.verdict !== 'accept') return
    this.#peering.book.firstDelivery(from, this.#deps.clock.nowMs())
    this.#signedHandler?.(judgement.signed)
    this.#payloadHandler?.(judgement.envelope, from)
  }

  /** A message too large to be accepted is not decompressed to compute its id. */
  #isTooLong(topic: string, data: Uint8Array): boolean {
    return topic === this.#attestationsTopic && data.length > MAX_ATTESTATION_MESSAGE_BYTES
  }

  async #send(topic: string, message: Uint8Array): Promise<void> {
    if (this.#host === null) throw new ConsensusError('consensus/gossip-publish', 'temporary', 'gossip is not running')
    await this.#host.publish(topic, message).catch((cause: unknown) => {
      throw new ConsensusError('consensus/gossip-publish', 'temporary', `gossip failed: ${messageOf(cause)}`, {}, { cause })
    })
  }
}
