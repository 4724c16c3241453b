/**
 * Unsafe blocks over libp2p: TCP, noise, yamux, gossipsub without message signatures. The libraries are
 * loaded at start, behind the polyfill they need. specs: protocol/rollup-node-p2p.md
 */
import type { Clock, Crypto, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { DegradedStates } from '../../driver/degraded-states.ts'
import { ConsensusError, messageOf } from '../../errors.ts'
import type { BlockSigner, GossipPeer, PayloadServer, UnsafeGossip } from '../../ports.ts'
import { encodePayloadRefusal, MAX_PAYLOAD_ANSWER_BYTES, PAYLOAD_REQUEST_BYTES, payloadProtocol } from '../exchange/payload-exchange.ts'
import { type PayloadPeers, requestPayload } from '../exchange/request-payload.ts'
import type { GossipHost } from '../host/libp2p-host.ts'
import { blocksTopic, messageId } from './block-message.ts'
import type { BlockJudgement, BlockValidator } from './block-validator.ts'
import { encodeBlockMessage } from './encode-message.ts'
import { MAX_GOSSIP_BYTES, snappyDecompress } from './snappy-block.ts'
import type { PayloadVersion } from './ssz-payload.ts'
import '../host/promise-polyfill.ts'

export interface Libp2pGossipOptions {
  readonly chainId: bigint
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** 32-byte secp256k1 key: the node's network identity. */
  readonly nodeKey: Uint8Array
  /** Multiaddresses with peer id, dialled until connected and again when lost. */
  readonly staticPeers: readonly string[]
  /** Multiaddresses under which others reach this node, when they differ from where it listens. */
  readonly announce: readonly string[]
}

export interface Libp2pGossipDependencies {
  readonly validator: BlockValidator
  /** Null: this node only listens. */
  readonly signer: BlockSigner | null
  readonly crypto: Crypto
  readonly clock: Clock
  readonly log: Logger
  readonly degraded: DegradedStates
  readonly metrics?: Metrics
  readonly onJudgement?: (judgement: BlockJudgement, from: string) => void
}

const VERSIONS: readonly PayloadVersion[] = [1, 2, 3, 4]
/** A lost peer is dialled again after this time, doubling up to the longest. */
const FIRST_REDIAL_MS = 250
const LONGEST_REDIAL_MS = 5_000

export function createLibp2pGossip(options: Libp2pGossipOptions, deps: Libp2pGossipDependencies): UnsafeGossip {
  const log = deps.log.child('p2p')
  const topics = new Map(VERSIONS.map((version) => [blocksTopic(options.chainId, version), version]))
  const judged = deps.metrics?.counter('gossip_blocks_total', 'gossiped blocks judged', ['verdict', 'reason'])
  deps.metrics?.gauge('p2p_peers', 'connected peers', [], () => host?.peers().length ?? 0)
  const firstDeliveries = new Map<string, number>()
  const stopping = new AbortController()
  let handler: Parameters<UnsafeGossip['onPayload']>[0] | null = null
  let host: GossipHost | null = null
  let redialing: Promise<void> = Promise.resolve()
  let server: PayloadServer | null = null
  /** Requests in a row that a peer did not satisfy; who satisfies them is asked first. */
  const unhelpful = new Map<string, number>()
  const asked = deps.metrics?.counter('payload_requests_total', 'blocks asked of peers, by what came of it', ['outcome'])
  const payloadPeers: PayloadPeers = {
    peers: () => (host?.peers() ?? []).map(({ peerId }) => peerId).sort((a, b) => (unhelpful.get(a) ?? 0) - (unhelpful.get(b) ?? 0)),
    exchange(peer, request, signal) {
      if (host === null) return Promise.reject(new ConsensusError('consensus/gossip-stopped', 'temporary', 'gossip is not running'))
      return host.request(peer, request, signal)
    },
    judged(peer, outcome) {
      asked?.inc(1, { outcome })
      if (outcome === 'payload') unhelpful.delete(peer)
      else unhelpful.set(peer, (unhelpful.get(peer) ?? 0) + 1)
    },
  }

  function judge(topic: string, data: Uint8Array, from: string): 'accept' | 'ignore' | 'reject' {
    const version = topics.get(topic)
    if (version === undefined) return 'ignore'
    const judgement = deps.validator.judge(version, data)
    judged?.inc(1, { verdict: judgement.verdict, reason: judgement.verdict === 'accept' ? 'valid' : judgement.reason })
    deps.onJudgement?.(judgement, from)
    if (judgement.verdict !== 'accept') {
      log.debug('gossiped block not accepted', { verdict: judgement.verdict, reason: judgement.reason, peer: from })
      return judgement.verdict
    }
    firstDeliveries.set(from, (firstDeliveries.get(from) ?? 0) + 1)
    handler?.(judgement.envelope, from)
    return 'accept'
  }

  async function redial(current: GossipHost): Promise<void> {
    let delayMs = FIRST_REDIAL_MS
    while (!stopping.signal.aborted) {
      const lost: string[] = []
      for (const address of options.staticPeers) {
        const failure = await current.connect(address, stopping.signal)
        if (failure !== null) lost.push(`${address}: ${failure}`)
      }
      forgetOldPeers(current)
      if (lost.length === 0 || stopping.signal.aborted) deps.degraded.leave('gossip')
      else
        deps.degraded.enter(
          'gossip',
          'a configured peer is not reached; unsafe blocks may come late',
          lost.join('; '),
          'check its address and that its p2p port is open; it is dialled again, and blocks are still derived from L1',
        )
      await deps.clock.sleep(delayMs, stopping.signal).catch(() => undefined)
      delayMs = lost.length === 0 ? FIRST_REDIAL_MS * 4 : Math.min(delayMs * 2, LONGEST_REDIAL_MS)
    }
  }

  function forgetOldPeers(current: GossipHost): void {
    const connected = new Set(current.peers().map((peer) => peer.peerId))
    for (const known of [firstDeliveries, unhelpful]) for (const peer of known.keys()) if (!connected.has(peer)) known.delete(peer)
  }

  return {
    onPayload(newHandler) {
      handler = newHandler
    },
    serve(blocks) {
      server = blocks
    },
    requestPayload: (number, hash) => requestPayload(payloadPeers, number, hash, stopping.signal),
    async publish(envelope) {
      const block = await encodeBlockMessage(options.chainId, deps.signer, envelope)
      if (host === null) throw new ConsensusError('consensus/gossip-publish', 'temporary', 'gossip is not running')
      await host.publish(blocksTopic(options.chainId, block.version), block.message).catch((cause: unknown) => {
        throw new ConsensusError('consensus/gossip-publish', 'temporary', `gossip failed: ${messageOf(cause)}`, {}, { cause })
      })
    },
    async start() {
      const { startGossipHost } = await import('../host/libp2p-host.ts')
      try {
        host = await startGossipHost({
          ...options,
          topics: [...topics.keys()],
          maxMessageBytes: MAX_GOSSIP_BYTES,
          messageId: (topic, data) => messageId(deps.crypto, topic, data, snappyDecompress(data)),
          judge,
          requests: {
            protocol: payloadProtocol(options.chainId),
            maxRequestBytes: PAYLOAD_REQUEST_BYTES,
            maxAnswerBytes: MAX_PAYLOAD_ANSWER_BYTES,
            answer: async (request, from) => (await server?.answer(request, from)) ?? encodePayloadRefusal('failed'),
          },
        })
      } catch (cause) {
        throw new ConsensusError(
          'consensus/gossip-start',
          'critical',
          `gossip cannot listen on ${options.host}:${options.port}: ${messageOf(cause)}; is the port taken? choose another, or switch gossip off`,
          { host: options.host, port: options.port },
          { cause },
        )
      }
      log.info('gossip listens', { peerId: host.peerId, addresses: host.addresses().join(' ') })
      redialing = redial(host)
    },
    async stop() {
      stopping.abort()
      await redialing
      await host?.stop()
      host = null
    },
    peers: (): readonly GossipPeer[] =>
      host?.peers().map((peer) => ({ ...peer, firstDeliveries: firstDeliveries.get(peer.peerId) ?? 0 })) ?? [],
    self: () => ({ peerId: host?.peerId ?? '', addresses: host?.addresses() ?? [] }),
  }
}
