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
import { addressScope, reachableScopes, subnetAt } from '../peers/address-scope.ts'
import { isInside } from '../peers/connection-rules.ts'
import { createSubnetTable } from '../peers/subnet-table.ts'
import { countVotesBySubnet } from './address-votes.ts'
import { type Bootnode, parseBootnode } from './bootnode.ts'
import { repeatChallenges } from './challenges.ts'
import { type FoundRecord, judgeRecord, type RecordRules } from './judge-record.ts'
import { createLocalRecord, type RecordEntries, updateEntries } from './local-record.ts'
import type { NodeRecords } from './node-records.ts'
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

export interface MappedAddress {
  readonly ip: string
  readonly tcpPort: number
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
const MAX_REMEMBERED_RECORDS = 2_000
/** Limit per /24 or IPv6 /48, so that one operator cannot fill the list on disk. */
const MAX_RECORDS_OF_SUBNET = 8

export async function startDiscovery(options: DiscoveryOptions, deps: DiscoveryDependencies): Promise<Discovery> {
  const { clock, metrics, socket } = deps
  const log = deps.log.child('discovery')
  let entries = deps.entries()
  const own: SignableENR = createLocalRecord({
    nodeKey: deps.nodeKey,
    entries,
    listenHost: deps.host,
    tcpPort: options.advertise.tcpPort ?? deps.tcpPort,
    udpPort: options.advertise.udpPort ?? socket.address().port,
    advertiseIp: options.advertise.ip,
    nowMs: clock.nowMs(),
  })
  const bootnodes = options.bootnodes.map((text) => [text, parseBootnode(text)] as const)
  const scopes = reachableScopes([deps.host, options.advertise.ip ?? '', ...bootnodes.flatMap(([, node]) => addressesOf(node))])
  const isReachable = (ip: string) => {
    const scope = addressScope(ip)
    return scope !== null && (scopes.has(scope) || (deps.networks.length > 0 && isInside(ip, deps.networks)))
  }
  const packets = metrics?.counter('discovery_packets_total', 'discovery packets received, by what became of them', ['verdict'])
  const found = metrics?.counter('discovery_records_total', 'discovery records seen for the first time, by what they were good for', [
    'verdict',
  ])
  const discv5 = Discv5.create({
    enr: own,
    // The key library exports a later version of the same type.
    privateKey: privateKeyFromRaw(deps.nodeKey) as unknown as PrivateKey,
    bindAddrs: { ip4: undefined, ip6: undefined } as never,
    transport: createUdpTransport({
      nodeId: own.nodeId,
      socket,
      isRefused: deps.isRefused,
      isReachable,
      clock,
      onPacket: (verdict) => packets?.inc(1, { verdict }),
    }),
    config: { enrUpdate: options.advertise.ip === null, addrVotesToUpdateEnr: ADDRESS_VOTES, pingInterval: PING_EVERY_MS },
  })
  repeatChallenges(discv5)
  translateMessages(discv5)
  countVotesBySubnet(discv5)
  metrics?.gauge('discovery_table_nodes', 'nodes in the discovery routing table', [], () => discv5.kadValues().length)

  const rules: RecordRules = { ownNodeId: own.nodeId, refuses: deps.refuses, isReachable, isInside: deps.isInside }
  const judged = new Map<string, bigint>()
  const ofThisChain = createSubnetTable<string>({ most: MAX_REMEMBERED_RECORDS, mostOfSubnet: MAX_RECORDS_OF_SUBNET })
  function consider(enr: ENR): void {
    if ((judged.get(enr.nodeId) ?? -1n) >= enr.seq) return
    judged.delete(enr.nodeId)
    judged.set(enr.nodeId, enr.seq)
    if (judged.size > MAX_REMEMBERED_RECORDS) judged.delete(judged.keys().next().value as string)
    const judgement = judgeRecord(enr, rules)
    found?.inc(1, { verdict: judgement.verdict })
    const { record } = judgement
    if (record === null) return
    ofThisChain.set(enr.nodeId, subnetAt(record.ip), enr.encodeTxt())
    log.debug('node found', { node: enr.nodeId, ip: record.ip, tcp: record.tcpPort })
    deps.onFound(record)
  }

  for (const [text, node] of bootnodes)
    if (node.kind === 'bad') log.warn('a bootnode is not understood', { bootnode: text, reason: node.reason })
  function enter(node: Bootnode): void {
    if (node.kind === 'record') {
      discv5.addEnr(node.enr)
      consider(node.enr)
    } else if (node.kind === 'address') {
      discv5.sendFindNode(node.unsigned, [0]).catch((error: unknown) => {
        log.debug('a bootnode does not answer', { ip: node.unsigned.ip, udp: node.unsigned.udp, reason: messageOf(error) })
      })
    }
  }

  function takeMapped(): void {
    const mapped = options.advertise.ip === null ? deps.mapped() : null
    if (mapped === null || (own.ip === mapped.ip && own.tcp === mapped.tcpPort)) return
    own.ip = mapped.ip
    own.tcp = mapped.tcpPort
    log.info('the router takes connections for this node', { ip: mapped.ip, tcp: mapped.tcpPort, enr: own.encodeTxt() })
  }

  /** Nodes learn of the new sequence number from the next ping. */
  function takeEntries(): void {
    const wanted = deps.entries()
    if (updateEntries(own, entries, wanted)) log.info('the record says something new', { enr: own.encodeTxt() })
    entries = wanted
  }

  const stopping = new AbortController()
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve(), { once: true }))
  async function walk(): Promise<void> {
    while (!stopping.signal.aborted) {
      takeMapped()
      takeEntries()
      if (discv5.kadValues().length === 0) for (const [, node] of bootnodes) enter(node)
      // A walk never ends if it is aborted or the table is empty.
      else await Promise.race([discv5.findRandomNode(), stopped])
      for (const enr of discv5.kadValues()) consider(enr)
      await deps.records.write([...ofThisChain.values()].reverse()).catch((error: unknown) => {
        log.warn('discovery records could not be stored', { reason: messageOf(error) })
      })
      const { wanting, content } = options.walkEveryMs
      await clock.sleep(deps.wantsPeers() ? wanting : content, stopping.signal).catch(() => undefined)
    }
  }

  // The library's event type does not resolve.
  const events = discv5 as unknown as EventEmitter
  events.on('discovered', consider)
  events.on('enrAdded', (enr: ENR) => consider(enr))
  events.on('multiaddrUpdated', (address: Multiaddr) =>
    log.info('other nodes see this node at', { address: address.toString(), enr: own.encodeTxt() }),
  )
  // an empty answer says that the node speaks no protocol in talk requests
  events.on('talkReqReceived', (from: TalkingNode, _record: unknown, { id }: { readonly id: bigint }) => {
    void discv5.sendTalkResp(from, id, new Uint8Array(0))
  })
  await discv5.start()
  for (const text of deps.records.read()) enter(parseBootnode(text))
  for (const [, node] of bootnodes) enter(node)
  log.info('discovery runs', {
    enr: own.encodeTxt(),
    udp: `${socket.address().address}:${socket.address().port}`,
    bootnodes: bootnodes.length,
  })
  if (own.ip === undefined && own.ip6 === undefined) {
    log.warn('the discovery record has no address until other nodes say how they see this one; give --p2p.advertise.ip when it is known')
  }
  const walking = walk()
  return {
    record: () => own.encodeTxt(),
    table: () => discv5.kadValues().map((enr) => enr.encodeTxt()),
    async stop() {
      stopping.abort()
      await discv5.stop()
      await walking
    },
  }
}

type TalkingNode = Parameters<Discv5['sendTalkResp']>[0]

function addressesOf(node: Bootnode): string[] {
  if (node.kind === 'bad') return []
  const { ip, ip6 } = node.kind === 'record' ? node.enr : node.unsigned
  return [ip, ip6].filter((address) => address !== undefined)
}
