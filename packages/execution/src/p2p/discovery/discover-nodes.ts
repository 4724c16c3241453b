/** Finds nodes of this chain over discv5 and offers them for dialling. */
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import type { IpNetwork, KeyValueStore, Metrics } from '@keelson/runtime'
import {
  createNodeRecords,
  type Discovery,
  type DiscoveryOptions,
  type FoundRecord,
  openUdpSocket,
  startDiscovery,
} from '@keelson/runtime/discovery'
import { PEER_BUCKETS } from '../../chain/keys.ts'
import type { ForkFilter } from '../../fork-id/fork-filter.ts'
import type { ForkId } from '../../fork-id/fork-id.ts'
import { P2pError } from '../p2p-error.ts'
import { type NodeAddress, uncompressed } from '../peers/enode.ts'
import { forkEntries, refuseEntries } from './fork-entries.ts'

export interface NodeDiscoveryDependencies {
  readonly nodeKey: Uint8Array
  readonly host: string
  readonly tcpPort: number
  readonly store: KeyValueStore
  /** At the head of the moment. */
  readonly forkId: () => ForkId
  readonly forkFilter: ForkFilter
  readonly wantsNodes: () => boolean
  readonly onFound: (node: NodeAddress) => void
  readonly isBannedAddress: (ip: string) => boolean
  readonly isInside: (ip: string) => boolean
  /** Addresses in these networks are accepted from records, whatever their scope. */
  readonly networks: readonly IpNetwork[]
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

/** Throws P2pError `p2p/discovery-start`. */
export async function discoverNodes(options: DiscoveryOptions, deps: NodeDiscoveryDependencies): Promise<Discovery> {
  const port = options.udpPort ?? deps.tcpPort
  const socket = await openUdpSocket(deps.host, port).catch((cause: unknown) => {
    const problem = `discovery cannot listen on UDP ${deps.host}:${port}: ${messageOf(cause)}`
    const remedy = 'choose another port with --p2p.port, or switch discovery off with --p2p.discovery=false'
    throw new P2pError('p2p/discovery-start', `${problem}; ${remedy}`, {}, { cause })
  })
  return startDiscovery(options, {
    ...deps,
    socket,
    records: createNodeRecords(deps.store, Uint8Array.of(PEER_BUCKETS.nodeRecords)),
    entries: () => forkEntries(deps.forkId()),
    refuses: (enr) => refuseEntries(enr.kvs, deps.forkFilter),
    isRefused: deps.isBannedAddress,
    wantsPeers: deps.wantsNodes,
    onFound(record) {
      const node = addressOf(record)
      if (node !== null) deps.onFound(node)
    },
    mapped: () => null,
  })
}

function addressOf({ enr, ip, tcpPort }: FoundRecord): NodeAddress | null {
  const id = uncompressed(enr.publicKey)
  const udpPort = (ip.includes(':') ? enr.udp6 : enr.udp) ?? 0
  return id === null ? null : { id, host: ip, tcpPort, udpPort }
}
