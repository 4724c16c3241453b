/** Finds nodes of this chain by the `opstack` entry of their records. specs: protocol/rollup-node-p2p.md#discv5 */
import type { ENR } from '@chainsafe/enr'
import type { Clock, Logger } from '@keelson/primitives'
import type { IpNetwork, Metrics } from '@keelson/runtime'
import {
  type Discovery,
  type DiscoveryOptions,
  type MappedAddress,
  type NodeRecords,
  openUdpSocket,
  startDiscovery,
} from '@keelson/runtime/discovery'
import { ConsensusError, messageOf } from '../../errors.ts'
import { tcpMultiaddress } from '../host/listen-address.ts'
import { decodeOpstackEntry, encodeOpstackEntry, isOfChain, OPSTACK_ENTRY } from './opstack-entry.ts'

export interface FoundNode {
  readonly peerId: string
  readonly address: string
  readonly ip: string
  readonly enr: string
}

export interface ChainDiscoveryDependencies {
  readonly chainId: bigint
  readonly nodeKey: Uint8Array
  readonly host: string
  readonly tcpPort: number
  readonly records: NodeRecords
  readonly wantsPeers: () => boolean
  readonly onFound: (node: FoundNode) => void
  readonly isRefused: (ip: string) => boolean
  readonly isInside: (ip: string) => boolean
  /** Addresses in these networks are accepted from records, whatever their scope. */
  readonly networks: readonly IpNetwork[]
  readonly mapped: () => MappedAddress | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

/** Throws ConsensusError `consensus/discovery-start`. */
export async function discoverChain(options: DiscoveryOptions, deps: ChainDiscoveryDependencies): Promise<Discovery> {
  const port = options.udpPort ?? deps.tcpPort
  const socket = await openUdpSocket(deps.host, port).catch((cause: unknown) => {
    const problem = `discovery cannot listen on UDP ${deps.host}:${port}: ${messageOf(cause)}`
    const remedy = 'choose another port with --p2p.udp-port, or switch discovery off'
    throw new ConsensusError('consensus/discovery-start', 'critical', `${problem}; ${remedy}`, {}, { cause })
  })
  return startDiscovery(options, {
    ...deps,
    socket,
    entries: () => ({ [OPSTACK_ENTRY]: encodeOpstackEntry(deps.chainId) }),
    refuses: (enr) => refusal(enr, deps.chainId),
    onFound({ enr, ip, tcpPort }) {
      const peerId = enr.peerId.toString()
      deps.onFound({ peerId, address: `${tcpMultiaddress(ip, tcpPort)}/p2p/${peerId}`, ip, enr: enr.encodeTxt() })
    },
  })
}

function refusal(enr: ENR, chainId: bigint): string | null {
  const raw = enr.kvs.get(OPSTACK_ENTRY)
  const entry = raw === undefined ? null : decodeOpstackEntry(raw)
  if (entry === null) return 'not-of-the-op-stack'
  return isOfChain(entry, chainId) ? null : 'other-chain'
}
