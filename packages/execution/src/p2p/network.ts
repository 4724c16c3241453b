/** The execution network: listens, dials, and holds the peers. */
import type { Clock, Crypto, Logger, Random } from '@keelson/primitives'
import { createTokenBucket, type Metrics, type Service } from '@keelson/runtime'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { ChainMove } from '../chain/chain-store.ts'
import type { RawBlocks } from '../chain/raw-blocks.ts'
import type { ForkPoints } from '../chain-rules.ts'
import type { Unsubscribe } from '../emitter.ts'
import { createForkFilter } from '../fork-id/fork-filter.ts'
import { forkId } from '../fork-id/fork-id.ts'
import { ConnectedPeer } from './connected-peer.ts'
import { enodeUrl, type NodeAddress } from './enode.ts'
import { createBlockServer } from './eth/block-server.ts'
import { ETH, ETH_CAPABILITIES } from './eth/eth-messages.ts'
import { EthPeer } from './eth/eth-peer.ts'
import { DEFAULT_SERVE_LIMITS } from './eth/responder.ts'
import type { LocalStatus } from './eth/status.ts'
import { P2pError } from './p2p-error.ts'
import { PeerSet } from './peer-set.ts'
import type { ByteStream } from './rlpx/byte-stream.ts'
import type { NodeKey } from './rlpx/node-key.ts'
import { openSession } from './rlpx/open-session.ts'
import { createStaticDialer } from './static-dialer.ts'
import type { Listening, PeerTransport } from './transport.ts'

export interface NetworkOptions {
  readonly client: string
  readonly networkId: bigint
  readonly maxPeers: number
  readonly staticPeers: readonly NodeAddress[]
  readonly trusted: readonly NodeAddress[]
}

export interface NetworkDependencies {
  readonly key: NodeKey
  readonly transport: PeerTransport
  readonly chain: ChainReader
  readonly raw: RawBlocks
  readonly forkPoints: ForkPoints
  readonly clock: Clock
  readonly random: Random
  readonly crypto: Crypto
  readonly log: Logger
  readonly metrics: Metrics
  onMove(listener: (move: ChainMove) => void): Unsubscribe
}

export interface ExecutionNetwork extends Service {
  readonly peers: Pick<PeerSet, 'list' | 'onChange'>
  /** This node as others dial it; null before it listens. */
  readonly self: NodeAddress | null
  addPeer(node: NodeAddress): void
  /** Also no longer dials the node. */
  removePeer(id: Uint8Array): void
}

/** Connections from outside whose handshake has not finished; each costs a few milliseconds of the thread. */
const MAX_OPENING = 16
/** caps/eth.md: at most one announcement per 32 blocks. */
const RANGE_BLOCKS = 32

export function createExecutionNetwork(options: NetworkOptions, deps: NetworkDependencies): ExecutionNetwork {
  return new Network(options, deps)
}

class Network implements ExecutionNetwork {
  readonly name = 'execution network'
  readonly peers: PeerSet
  readonly #options: NetworkOptions
  readonly #deps: NetworkDependencies
  readonly #log: Logger
  readonly #dialer: ReturnType<typeof createStaticDialer>
  readonly #ethDeps: ConstructorParameters<typeof EthPeer>[1]
  readonly #stopping = new AbortController()
  #listening: Listening | null = null
  #opening = 0
  #announced: number
  #unsubscribe: Unsubscribe = () => undefined

  constructor(options: NetworkOptions, deps: NetworkDependencies) {
    const { clock, chain, raw, forkPoints } = deps
    this.#options = options
    this.#deps = deps
    this.#log = deps.log.child('p2p')
    this.peers = new PeerSet(
      options.maxPeers,
      options.trusted.map(({ id }) => id),
      this.#log,
    )
    this.#announced = chain.label('unsafe').header.number
    this.#dialer = createStaticDialer([...options.staticPeers, ...options.trusted], {
      clock,
      log: this.#log,
      isConnected: (id) => this.peers.has(id),
      dial: (node, signal) => this.#dial(node, signal),
    })
    this.#ethDeps = {
      clock,
      status: () => this.#status(),
      forkFilter: createForkFilter(forkPoints, () => chain.label('unsafe').header),
      server: createBlockServer(chain, raw),
      limits: DEFAULT_SERVE_LIMITS,
      serveBudget: createTokenBucket(DEFAULT_SERVE_LIMITS.all, clock),
    }
    registerPeerMetrics(deps.metrics, this.peers)
  }

  get self(): NodeAddress | null {
    if (this.#listening === null) return null
    const { host, port } = this.#listening
    return { id: this.#deps.key.publicKey, host, port }
  }

  async start(): Promise<void> {
    this.#listening = await this.#deps.transport.listen((stream) => void this.#accept(stream))
    this.#dialer.start()
    this.#unsubscribe = this.#deps.onMove(({ head }) => this.#announce(head.header.number))
    this.#log.info('listening for execution clients', { enode: enodeUrl(this.self as NodeAddress) })
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#stopping.abort()
    await this.#dialer.stop()
    await this.#listening?.close()
    await Promise.all(this.peers.list().map(({ session }) => session.disconnect('quitting')))
  }

  addPeer(node: NodeAddress): void {
    this.#dialer.add(node)
  }

  removePeer(id: Uint8Array): void {
    this.#dialer.remove(id)
    void this.peers.get(id)?.session.disconnect('requested')
  }

  async #dial(node: NodeAddress, signal: AbortSignal): Promise<void> {
    const stream = await this.#deps.transport.dial(node.host, node.port, signal)
    await this.#join(stream, node.id)
  }

  async #accept(stream: ByteStream): Promise<void> {
    if (this.#opening >= MAX_OPENING || this.#stopping.signal.aborted) {
      stream.destroy()
      return
    }
    this.#opening++
    try {
      await this.#join(stream, null)
    } catch (error) {
      this.#log.debug('a connection failed', { host: stream.host, error })
    } finally {
      this.#opening--
    }
  }

  /** Resolves when the peer is listed. */
  async #join(stream: ByteStream, remoteId: Uint8Array | null): Promise<void> {
    const { key } = this.#deps
    const local = { key, client: this.#options.client, listenPort: this.#listening?.port ?? 0, capabilities: ETH_CAPABILITIES }
    const session = await openSession(stream, remoteId, local, this.#deps, this.#stopping.signal)
    const { id, inbound } = session.remote
    const refusal = session.capabilities.some(({ name }) => name === ETH) ? this.peers.refusal(id, inbound) : 'uselessPeer'
    if (refusal !== null) {
      void session.disconnect(refusal)
      throw new P2pError('p2p/disconnected', `the peer was refused: ${refusal}`, { reason: refusal, by: 'local' })
    }
    const eth = new EthPeer(session, this.#ethDeps)
    await eth.exchangeStatus()
    const again = this.peers.refusal(id, inbound)
    if (again !== null) {
      void session.disconnect(again)
      throw new P2pError('p2p/disconnected', `the peer was refused: ${again}`, { reason: again, by: 'local' })
    }
    const peer = new ConnectedPeer(eth)
    this.peers.add(peer)
    this.#logPeer(peer)
  }

  #logPeer({ id, eth, session }: ConnectedPeer): void {
    const { client, host, inbound } = session.remote
    const peer = id.slice(0, 16)
    this.#log.info('a peer joined', { peer, client, host, inbound, version: `eth/${eth.version}`, peers: this.peers.size })
    void session.closed.then(({ reason, by, detail }) =>
      this.#log.info('a peer left', { peer, reason, by, ...(detail === '' ? {} : { detail }), peers: this.peers.size }),
    )
  }

  #announce(number: number): void {
    if (Math.abs(number - this.#announced) < RANGE_BLOCKS) return
    this.#announced = number
    const { range } = this.#status()
    for (const { eth } of this.peers.list()) eth.announceRange(range).catch(() => undefined)
  }

  #status(): LocalStatus {
    const { chain, forkPoints } = this.#deps
    const head = chain.label('unsafe')
    const { genesis } = chain
    return {
      networkId: this.#options.networkId,
      genesis: forkPoints.genesis,
      forkId: forkId(forkPoints, head.header),
      totalDifficulty: genesis.header.difficulty,
      range: { earliest: BigInt(genesis.header.number), latest: BigInt(head.header.number), latestHash: head.hash },
    }
  }
}

function registerPeerMetrics(metrics: Metrics, peers: PeerSet): void {
  const count = (inbound: boolean) => peers.list().filter(({ session }) => session.remote.inbound === inbound).length
  metrics.gauge('peers', 'Connected execution clients, by who dialled', ['direction'], () => [
    [{ direction: 'inbound' }, count(true)],
    [{ direction: 'outbound' }, count(false)],
  ])
}
