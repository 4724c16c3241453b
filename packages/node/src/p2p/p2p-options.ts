/** Names of the consensus client's options where they mean the same. */
import { join } from 'node:path'
import { DEFAULT_PEERS, type NodeAddress, openNodeKey, type PeerToPeer, parseNode, showEnode } from '@keelson/execution'
import { loadNodeKey, type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { syncModeParser } from '../role/sync-mode-parser.ts'
import { discoveryOptions, discoverySettings } from './discovery-options.ts'
import { createTcpTransport } from './tcp-transport.ts'

const node = Object.assign(
  (value: unknown): NodeAddress => {
    const text = parse.text(value)
    const parsed = parseNode(text)
    if (parsed.kind === 'node') return parsed.node
    throw new parse.OptionValueError(`${parsed.reason}; got "${text.slice(0, 200)}"`)
  },
  { placeholder: '<enode>', schema: parse.text.schema, show: showEnode },
)

export const executionP2pOptions = {
  p2pEnabled: optionalOption({
    key: 'p2p.enabled',
    parse: parse.toggle,
    description:
      'Connect to other execution clients. Default: on for a public network, and when --p2p.static, --p2p.trusted or --p2p.bootnodes is given.',
  }),
  p2pHost: option({
    key: 'p2p.host',
    parse: parse.text,
    default: '127.0.0.1',
    description: 'Address that other execution clients reach. On a public network the default is 0.0.0.0.',
  }),
  p2pPort: option({ key: 'p2p.port', parse: parse.port, default: 30_303, description: 'RLPx over TCP, and discovery over UDP.' }),
  ...discoveryOptions,
  p2pMinPeers: option({
    key: 'p2p.minPeers',
    parse: parse.integer(0, 1_000),
    default: DEFAULT_PEERS.minPeers,
    description: 'Not ready with fewer peers.',
  }),
  p2pMaxPeers: option({
    key: 'p2p.maxPeers',
    alias: 'maxpeers',
    parse: parse.integer(0, 1_000),
    default: 50,
    description: 'Maximum number of peers; further connections are refused, except of trusted nodes.',
  }),
  p2pNodeKey: optionalOption({
    key: 'p2p.nodekey',
    parse: parse.path,
    description: "File with this node's key (hex), its identity; made when missing. Default: nodekey in the data folder.",
  }),
  p2pNetworkId: optionalOption({
    key: 'p2p.networkid',
    parse: parse.integer(1),
    description: 'Network id that peers must have. Default: the chain id.',
  }),
  syncMode: option<'full' | 'snap' | 'none'>({
    key: 'syncmode',
    parse: syncModeParser('execution'),
    default: 'full',
    description:
      'How blocks that the consensus client names and that are unknown are fetched from peers: full executes each of them; snap fetches the state of a recent block into an empty chain, and executes the blocks above it.',
  }),
  disableTxGossip: option({
    key: 'p2p.disableTxGossip',
    flag: 'disable-tx-gossip',
    alias: 'rollup.disabletxpoolgossip',
    parse: parse.toggle,
    default: false,
    description: 'Neither send transactions to other execution clients nor take theirs; for sequencers.',
  }),
  p2pStatic: option({
    key: 'p2p.static',
    parse: parse.list(node),
    default: [],
    description: 'Nodes (enode://... or enr:...) to keep connected to; no limit and no ban applies to them.',
  }),
  p2pTrusted: option({
    key: 'p2p.trusted',
    parse: parse.list(node),
    default: [],
    description: 'Nodes (enode://... or enr:...) that no limit and no ban refuses when they connect; they are not dialled.',
  }),
  p2pMaxPerAddress: option({
    key: 'p2p.maxPerAddress',
    parse: parse.integer(1, 1_000),
    default: DEFAULT_PEERS.maxPerAddress,
    description: 'Maximum number of peers with one IPv4 address or IPv6 /64.',
  }),
  p2pMaxPerSubnet: option({
    key: 'p2p.maxPerSubnet',
    parse: parse.integer(1, 1_000),
    default: DEFAULT_PEERS.maxPerSubnet,
    description: 'Maximum number of peers in one public /24 or IPv6 /48.',
  }),
  p2pNetRestrict: option({
    key: 'p2p.netrestrict',
    parse: parse.list(parse.network),
    default: [],
    description: 'Networks (CIDR) to dial into and discover in; none: all.',
  }),
} as const

type P2pValues = OptionValues<typeof executionP2pOptions> & { readonly dataDir: string }

export interface P2pContext {
  readonly chainId: bigint
  readonly isPublicNetwork: boolean
  readonly client: string
}

/** Null when the node has no peers. Throws RuntimeError `runtime/node-key`. */
export async function openPeerToPeer(values: P2pValues, { chainId, isPublicNetwork, client }: P2pContext): Promise<PeerToPeer | null> {
  const { p2pStatic, p2pTrusted, p2pHost, p2pPort, p2pNodeKey, p2pNetworkId, p2pMaxPeers, dataDir } = values
  const enabled = values.p2pEnabled ?? (isPublicNetwork || p2pStatic.length + p2pTrusted.length + values.p2pBootnodes.length > 0)
  if (!enabled) return null
  return {
    sync: values.syncMode,
    key: openNodeKey(await loadNodeKey(p2pNodeKey ?? join(dataDir, 'nodekey'))),
    transport: createTcpTransport(p2pHost, p2pPort),
    options: {
      client,
      gossipTransactions: !values.disableTxGossip,
      networkId: p2pNetworkId === null ? chainId : BigInt(p2pNetworkId),
      peers: {
        maxPeers: p2pMaxPeers,
        minPeers: values.p2pMinPeers,
        maxPerAddress: values.p2pMaxPerAddress,
        maxPerSubnet: values.p2pMaxPerSubnet,
        networks: values.p2pNetRestrict,
        staticNodes: p2pStatic,
        trustedNodes: p2pTrusted,
      },
      discovery: discoverySettings(values),
    },
  }
}
