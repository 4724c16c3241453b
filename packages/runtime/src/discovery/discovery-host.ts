/** A node on discv5: its own record, random walks, and the records of other nodes judged and kept. */
import type { Socket } from 'node:dgram'
import type { EventEmitter } from 'node:events'
import { Discv5 } from '@chainsafe/discv5'
import type { ENR, SignableENR } from '@chainsafe/enr'
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import { privateKeyFromRaw } from '@libp2p/crypto/keys'
import type { PrivateKey } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { IpNetwork } from '../http/ip-address.ts'
import type { Metrics } from '../metrics.ts'
import { addressScope, reachableScopes } from '../peers/address-scope.ts'
import { isInside } from '../peers/connection-rules.ts'
import { countVotesBySubnet } from './address-votes.ts'
import { type Bootnode, parseBootnode } from './bootnode.ts'
import { repeatChallenges } from './challenges.ts'
import { FoundRecords } from './found-records.ts'
import type { FoundRecord, RecordRules } from './judge-record.ts'
import type { RecordEntries } from './local-record.ts'
import type { NodeRecords } from './node-records.ts'
import { type MappedAddress, OwnRecord } from './own-record.ts'
import { createUdpTransport } from './udp-transport.ts'
import { translateMessages } from './wire-forms.ts'

export interface DiscoveryOptions {
  readonly bootnodes: readonly string[]
  /** Null means the TCP port; 0 picks a free one. */
  readonly udpPort: number | null
  readonly advertise: { readonly ip: string | null; readonly tcpPort: number | null; readonly udpPort: number | null }
  readonly walkEveryMs: { readonly wanting: number; readonly content: number }
}

export interface DiscoveryDependencies {
  readonly socket: Socket
  /** What the own record says about its network; asked before each walk, because it may change. */
  readonly entries: () => RecordEntries
  readonly refuses: RecordRules['refuses']
  readonly nodeKey: Uint8Array
  readonly host: string
  readonly tcpPort: number
  readonly records: NodeRecords
  readonly wantsPeers: () => boolean
  readonly onFound: (node: FoundRecord) => void
  readonly isRefused: (ip: string) => boolean
  readonly isInside: (ip: string) => boolean
  /** Addresses in these networks are accepted from records, whatever their scope. */
  readonly networks: readonly IpNetwork[]
  readonly mapped: () => MappedAddress | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Discovery {
  record(): string
  table(): readonly string[]
  stop(): Promise<void>
}

/** Votes needed to change the own address, each from a distinct subnet. */
const ADDRESS_VOTES = 5
/** Short enough to notice within a minute that a node has stopped or started. */
const PING_EVERY_MS = 30_000

export async function startDiscovery(options: DiscoveryOptions, deps: DiscoveryDependencies): Promise<Discovery> {
  const host = new DiscoveryHost(options, { ...deps, log: deps.log.child('discovery') })
  await host.start()
  return host
}

class DiscoveryHost implements Discovery {
  readonly #options: DiscoveryOptions
  readonly #deps: DiscoveryDependencies
  readonly #bootnodes: readonly Bootnode[]
  readonly #own: OwnRecord
  readonly #discv5: Discv5
  readonly #found: FoundRecords
  readonly #stopping = new AbortController()
  #walking: Promise<void> = Promise.resolve()

  constructor(options: DiscoveryOptions, deps: DiscoveryDependencies) {
    const { log, socket, refuses, isInside: isInsideOwn, onFound, metrics } = deps
    this.#options = options
    this.#deps = deps
    const bootnodes = options.bootnodes.map((text) => [text, parseBootnode(text)] as const)
    for (const [text, node] of bootnodes)
      if (node.kind === 'bad') log.warn('a bootnode is not understood', { bootnode: text, reason: node.reason })
    this.#bootnodes = bootnodes.map(([, node]) => node)
    this.#own = new OwnRecord({
      nodeKey: deps.nodeKey,
      entries: deps.entries,
      listenHost: deps.host,
      tcpPort: options.advertise.tcpPort ?? deps.tcpPort,
      udpPort: options.advertise.udpPort ?? socket.address().port,
      advertiseIp: options.advertise.ip,
      nowMs: deps.clock.nowMs(),
      mapped: deps.mapped,
      log,
    })
    const isReachable = reachability(options, deps, this.#bootnodes)
    this.#discv5 = createDiscv5(this.#own.enr, isReachable, options, deps)
    const rules: RecordRules = { ownNodeId: this.#own.enr.nodeId, refuses, isReachable, isInside: isInsideOwn }
    this.#found = new FoundRecords({ rules, onFound, log, ...(metrics === undefined ? {} : { metrics }) })
  }

  record(): string {
    return this.#own.text()
  }

  table(): readonly string[] {
    return this.#discv5.kadValues().map((enr) => enr.encodeTxt())
  }

  async start(): Promise<void> {
    const { log, records, socket } = this.#deps
    this.#listen()
    await this.#discv5.start()
    for (const text of records.read()) this.#enter(parseBootnode(text))
    for (const node of this.#bootnodes) this.#enter(node)
    const { address, port } = socket.address()
    log.info('discovery runs', { enr: this.record(), udp: `${address}:${port}`, bootnodes: this.#bootnodes.length })
    const { ip, ip6 } = this.#own.enr
    if (ip === undefined && ip6 === undefined) {
      log.warn('the discovery record has no address until other nodes say how they see this one; give --p2p.advertise.ip when it is known')
    }
    this.#walking = this.#walk()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#discv5.stop()
    await this.#walking
  }

  #listen(): void {
    const { log } = this.#deps
    // The library's event type does not resolve.
    const events = this.#discv5 as unknown as EventEmitter
    events.on('discovered', (enr: ENR) => this.#found.consider(enr))
    events.on('enrAdded', (enr: ENR) => this.#found.consider(enr))
    events.on('multiaddrUpdated', (address: Multiaddr) =>
      log.info('other nodes see this node at', { address: address.toString(), enr: this.record() }),
    )
    // An empty response says that the node speaks no protocol in talk requests.
    events.on('talkReqReceived', (from: TalkingNode, _record: unknown, { id }: { readonly id: bigint }) => {
      void this.#discv5.sendTalkResp(from, id, new Uint8Array(0))
    })
  }

  #enter(node: Bootnode): void {
    if (node.kind === 'record') {
      this.#discv5.addEnr(node.enr)
      this.#found.consider(node.enr)
    } else if (node.kind === 'address') {
      const { ip, udp } = node.unsigned
      this.#discv5.sendFindNode(node.unsigned, [0]).catch((error: unknown) => {
        this.#deps.log.debug('a bootnode does not answer', { ip, udp, reason: messageOf(error) })
      })
    }
  }

  async #walk(): Promise<void> {
    const { clock, log, records, wantsPeers } = this.#deps
    const { signal } = this.#stopping
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    while (!signal.aborted) {
      this.#own.refresh()
      if (this.#discv5.kadValues().length === 0) for (const node of this.#bootnodes) this.#enter(node)
      // A walk never ends if it is aborted or the table is empty.
      else await Promise.race([this.#discv5.findRandomNode(), stopped])
      for (const enr of this.#discv5.kadValues()) this.#found.consider(enr)
      await records.write(this.#found.texts()).catch((error: unknown) => {
        log.warn('discovery records could not be stored', { reason: messageOf(error) })
      })
      const { wanting, content } = this.#options.walkEveryMs
      await clock.sleep(wantsPeers() ? wanting : content, signal).catch(() => undefined)
    }
  }
}

function createDiscv5(
  enr: SignableENR,
  isReachable: (ip: string) => boolean,
  { advertise }: DiscoveryOptions,
  { nodeKey, socket, isRefused, clock, metrics }: DiscoveryDependencies,
): Discv5 {
  const packets = metrics?.counter('discovery_packets_total', 'discovery packets received, by verdict', ['verdict'])
  const onPacket = (verdict: string) => packets?.inc(1, { verdict })
  const discv5 = Discv5.create({
    enr,
    // The key library exports a later version of the same type.
    privateKey: privateKeyFromRaw(nodeKey) as unknown as PrivateKey,
    bindAddrs: { ip4: undefined, ip6: undefined } as never,
    transport: createUdpTransport({ nodeId: enr.nodeId, socket, isRefused, isReachable, clock, onPacket }),
    config: { enrUpdate: advertise.ip === null, addrVotesToUpdateEnr: ADDRESS_VOTES, pingInterval: PING_EVERY_MS },
  })
  repeatChallenges(discv5)
  translateMessages(discv5)
  countVotesBySubnet(discv5)
  metrics?.gauge('discovery_table_nodes', 'nodes in the discovery routing table', [], () => discv5.kadValues().length)
  return discv5
}

/** Public addresses, those in the operator's networks, and those of a scope that this node's configuration uses. */
function reachability(
  { advertise }: DiscoveryOptions,
  { host, networks }: DiscoveryDependencies,
  bootnodes: readonly Bootnode[],
): (ip: string) => boolean {
  const scopes = reachableScopes([host, advertise.ip ?? '', ...bootnodes.flatMap(addressesOf)])
  return (ip) => {
    const scope = addressScope(ip)
    return scope !== null && (scopes.has(scope) || (networks.length > 0 && isInside(ip, networks)))
  }
}

type TalkingNode = Parameters<Discv5['sendTalkResp']>[0]

function addressesOf(node: Bootnode): string[] {
  if (node.kind === 'bad') return []
  const { ip, ip6 } = node.kind === 'record' ? node.enr : node.unsigned
  return [ip, ip6].filter((address) => address !== undefined)
}
