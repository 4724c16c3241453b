/** The execution network: listens, opens sessions, and holds the peers. */
import { bytesToHex, type Clock, type Crypto, type Hex, hexToBytes, type Logger, type Random } from '@keelson/primitives'
import { createTokenBucket, type KeyValueStore, type Metrics, type Service, type TokenBucket } from '@keelson/runtime'
import type { Discovery, DiscoveryOptions } from '@keelson/runtime/discovery'
import { isInside } from '@keelson/runtime/peers'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { ChainMove } from '../chain/chain-store.ts'
import type { RawBlocks } from '../chain/raw-blocks.ts'
import type { ForkPoints } from '../chain-rules.ts'
import { createEmitter, type Unsubscribe } from '../emitter.ts'
import { createForkFilter } from '../fork-id/fork-filter.ts'
import { forkId } from '../fork-id/fork-id.ts'
import type { PeerFault, PeerList } from '../sync/ports.ts'
import type { TxPool } from '../txpool/tx-pool.ts'
import { ConnectedPeer } from './connected-peer.ts'
import { createBlockServer } from './eth/block-server.ts'
import { ETH, ETH_CAPABILITIES } from './eth/eth-messages.ts'
import { EthPeer } from './eth/eth-peer.ts'
import type { LocalStatus } from './eth/status.ts'
import { TxGossip, withoutTransactions } from './eth/tx-gossip.ts'
import { P2pError } from './p2p-error.ts'
import { type NodeAddress, showEnode } from './peers/enode.ts'
import type { DropReason, PeerRefusal, Place } from './peers/peer-set.ts'
import { createPeers, type Peers } from './peers/peers.ts'
import type { PeersOptions } from './peers/peers-options.ts'
import { createServing } from './requests/serving.ts'
import type { ByteStream } from './rlpx/byte-stream.ts'
import type { DisconnectReason } from './rlpx/disconnect-reason.ts'
import type { NodeKey } from './rlpx/node-key.ts'
import { openSession } from './rlpx/open-session.ts'
import type { RlpxSession } from './rlpx/session.ts'
import { ALL_READ_BYTES } from './rlpx/session-limits.ts'
import { SNAP_CAPABILITY } from './snap/codes.ts'
import type { SnapService } from './snap/snap-service.ts'
import type { Listening, PeerTransport } from './transport.ts'

export interface NetworkOptions {
  readonly client: string
  readonly networkId: bigint
  /** False: transactions are neither sent nor taken. */
  readonly gossipTransactions: boolean
  readonly peers: PeersOptions
  /** Null: nodes are not looked for. */
  readonly discovery: DiscoveryOptions | null
}

export interface NetworkDependencies {
  readonly key: NodeKey
  readonly transport: PeerTransport
  readonly store: KeyValueStore
  readonly chain: ChainReader
  readonly raw: RawBlocks
  readonly forkPoints: ForkPoints
  readonly snap: SnapService
  readonly pool: TxPool
  readonly clock: Clock
  readonly random: Random
  readonly crypto: Crypto
  readonly log: Logger
  readonly metrics: Metrics
  onMove(listener: (move: ChainMove) => void): Unsubscribe
}

export interface ExecutionNetwork extends Service {
  readonly connected: PeerList<ConnectedPeer>
  readonly peers: Pick<Peers, 'named' | 'score' | 'check' | 'addStatic' | 'removeStatic' | 'addTrusted' | 'removeTrusted'>
  /** This node as others dial it; null before it listens. */
  readonly self: NodeAddress | null
  /** What discovery says of this node; null without it. */
  readonly record: string | null
}

/** caps/eth.md: at most one announcement per 32 blocks. */
const RANGE_BLOCKS = 32

const CAPABILITIES = [...ETH_CAPABILITIES, SNAP_CAPABILITY]

const DROPS: Readonly<Record<DropReason, DisconnectReason>> = { banned: 'uselessPeer', removed: 'requested', replaced: 'tooManyPeers' }
const REFUSALS: Partial<Readonly<Record<PeerRefusal, DisconnectReason>>> = {
  self: 'self',
  'already-connected': 'alreadyConnected',
}

export function createExecutionNetwork(options: NetworkOptions, deps: NetworkDependencies): ExecutionNetwork {
  return new Network(options, deps)
}

class Network implements ExecutionNetwork {
  readonly name = 'execution network'
  readonly peers: Peers
  readonly connected: PeerList<ConnectedPeer>
  readonly #connected = new Map<Hex, ConnectedPeer>()
  readonly #options: NetworkOptions
  readonly #deps: NetworkDependencies
  readonly #log: Logger
  readonly #ethDeps: ConstructorParameters<typeof EthPeer>[1]
  readonly #gossip: TxGossip | null
  readonly #allReads: TokenBucket
  readonly #stopping = new AbortController()
  #listening: Listening | null = null
  #discovery: Discovery | null = null
  #announced: number
  #running: Promise<void> = Promise.resolve()
  #unsubscribe: Unsubscribe = () => undefined

  constructor(options: NetworkOptions, deps: NetworkDependencies) {
    const { clock, chain, raw, forkPoints, random, store, metrics } = deps
    this.#options = options
    this.#deps = deps
    this.#log = deps.log.child('p2p')
    this.#announced = chain.label('unsafe').header.number
    const changes = createEmitter<void>(this.#log)
    this.connected = { list: () => [...this.#connected.values()], onChange: changes.on }
    this.peers = createPeers(options.peers, {
      ownId: bytesToHex(deps.key.publicKey),
      store,
      dial: (node, place, signal) => this.#dial(node, place, signal),
      onChange: () => changes.emit(),
      clock,
      random,
      log: this.#log,
      metrics,
    })
    const onSilent = ({ session }: EthPeer, reason: string) => this.peers.fault(bytesToHex(session.remote.id), 'silent', reason)
    const gossip = options.gossipTransactions ? new TxGossip({ pool: deps.pool, clock, random, onSilent }) : null
    this.#gossip = gossip
    this.#allReads = createTokenBucket(ALL_READ_BYTES, clock)
    this.#ethDeps = {
      clock,
      status: () => this.#status(),
      forkFilter: createForkFilter(forkPoints, () => chain.label('unsafe').header),
      server: createBlockServer(chain, raw),
      serving: createServing(clock),
      log: this.#log,
      transactions: (peer) => gossip?.attach(peer) ?? withoutTransactions(peer),
    }
  }

  get self(): NodeAddress | null {
    if (this.#listening === null) return null
    const { host, port } = this.#listening
    return { id: bytesToHex(this.#deps.key.publicKey), host, tcpPort: port, udpPort: port }
  }

  get record(): string | null {
    return this.#discovery?.record() ?? null
  }

  /** Throws P2pError `p2p/discovery-start`. */
  async start(): Promise<void> {
    this.#listening = await this.#deps.transport.listen((stream) => void this.#accept(stream))
    this.#running = this.peers.run(this.#stopping.signal)
    this.#unsubscribe = this.#deps.onMove(({ head }) => this.#announce(head.header.number))
    this.#log.info('listening for execution clients', { enode: showEnode(this.self as NodeAddress) })
    this.#discovery = await this.#startDiscovery(this.#listening)
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#gossip?.stop()
    this.#stopping.abort()
    await this.#discovery?.stop()
    await this.#listening?.close()
    await Promise.all([...this.#connected.values()].map(({ session }) => session.disconnect('quitting')))
    await this.#running
  }

  /** The library is large: a node without discovery does not load it. */
  async #startDiscovery({ host, port }: Listening): Promise<Discovery | null> {
    const { discovery, peers: settings } = this.#options
    if (discovery === null) return null
    const { peers } = this
    const { discoverNodes } = await import('./discovery/discover-nodes.ts')
    return discoverNodes(discovery, {
      ...this.#deps,
      log: this.#log,
      nodeKey: this.#deps.key.privateKey,
      host,
      tcpPort: port,
      networks: settings.networks,
      forkId: () => this.#status().forkId,
      forkFilter: this.#ethDeps.forkFilter,
      wantsNodes: peers.wantsNodes,
      onFound: peers.found,
      isBannedAddress: peers.isBannedAddress,
      isInside: (ip) => isInside(ip, settings.networks),
    })
  }

  async #dial(node: NodeAddress, place: Place, signal: AbortSignal): Promise<void> {
    const stream = await this.#deps.transport.dial(node.host, node.tcpPort, signal)
    await this.#join(await this.#open(stream, hexToBytes(node.id)), place)
  }

  async #accept(stream: ByteStream): Promise<void> {
    const admission = this.peers.set.inbound(stream.host, () => stream.destroy())
    if (admission.kind === 'refused' || this.#stopping.signal.aborted) {
      stream.destroy()
      return
    }
    const { place } = admission
    try {
      const session = await this.#open(stream, null)
      admit(session, place.identify(bytesToHex(session.remote.id)))
      await this.#join(session, place)
    } catch (error) {
      place.leave()
      this.#log.debug('a connection failed', { host: stream.host, error })
    }
  }

  #open(stream: ByteStream, remoteId: Uint8Array | null): Promise<RlpxSession> {
    const { key } = this.#deps
    const local = { key, client: this.#options.client, listenPort: this.#listening?.port ?? 0, capabilities: CAPABILITIES }
    return openSession(stream, remoteId, local, { ...this.#deps, allReads: this.#allReads }, this.#stopping.signal)
  }

  /** Resolves when the peer is listed. */
  async #join(session: RlpxSession, place: Place): Promise<void> {
    if (!session.capabilities.some(({ name }) => name === ETH)) throw refuse(session, 'uselessPeer')
    const id = bytesToHex(session.remote.id)
    const penalize = (fault: PeerFault) => this.peers.fault(id, fault.kind, fault.reason)
    const speaksSnap = session.capabilities.some(({ name }) => name === SNAP_CAPABILITY.name)
    const agreed = () => eth.status !== null
    const snap = speaksSnap ? this.#deps.snap.attach(session, { id, penalize, agreed, serving: this.#ethDeps.serving }) : null
    const eth = new EthPeer(session, this.#ethDeps)
    await eth.exchangeStatus()
    if (this.#connected.has(id)) throw refuse(session, 'alreadyConnected')
    const peer = new ConnectedPeer(eth, snap, penalize)
    this.#connected.set(id, peer)
    const refusal = place.join(async (reason) => void session.disconnect(DROPS[reason]))
    if (refusal !== null) this.#connected.delete(id)
    admit(session, refusal)
    this.#logPeer(peer)
    void session.closed.then(({ reason, by, detail }) => {
      this.#connected.delete(id)
      // Before the place is left, so that the fault counts for the address, too.
      if (reason === 'protocolBreach' && by === 'local') this.peers.fault(id, 'protocol', detail)
      place.leave()
    })
  }

  #logPeer({ id, eth, session }: ConnectedPeer): void {
    const { client, host, inbound } = session.remote
    const peer = id.slice(2, 18)
    this.#log.info('a peer joined', { peer, client, host, inbound, version: `eth/${eth.version}`, peers: this.#connected.size })
    void session.closed.then(({ reason, by, detail }) =>
      this.#log.info('a peer left', { peer, reason, by, ...(detail === '' ? {} : { detail }), peers: this.#connected.size }),
    )
  }

  #announce(number: number): void {
    if (Math.abs(number - this.#announced) < RANGE_BLOCKS) return
    this.#announced = number
    const { range } = this.#status()
    for (const { eth } of this.#connected.values()) eth.announceRange(range).catch(() => undefined)
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

/** Throws for a refusal, which ends the session. */
function admit(session: RlpxSession, refusal: PeerRefusal | null): void {
  if (refusal !== null) throw refuse(session, REFUSALS[refusal] ?? 'tooManyPeers')
}

function refuse(session: RlpxSession, reason: DisconnectReason): P2pError {
  void session.disconnect(reason)
  return new P2pError('p2p/disconnected', `the peer was refused: ${reason}`, { reason, by: 'local' })
}
