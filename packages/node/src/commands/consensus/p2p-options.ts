/** Uses op-node's option names where they exist. */
import { DEFAULT_DISCOVERY, DEFAULT_PEERING, type Libp2pGossipOptions, loadAddressChecks } from '@keelson/consensus'
import { type OptionValues, option, optionParsers as parse } from '@keelson/runtime'
import { discoveryOptions } from '../../p2p/discovery-options.ts'

const MINUTE_MS = 60_000
const YEAR_MS = 365 * 86_400_000
const LOWEST_THRESHOLD = -1_000_000

export const p2pOptions = {
  p2pEnabled: option({
    key: 'p2p.enabled',
    parse: parse.toggle,
    default: true,
    description: 'Gossip unsafe blocks; without it only safe blocks are followed.',
  }),
  p2pHost: option({
    key: 'p2p.host',
    parse: parse.text,
    default: '127.0.0.1',
    description: 'Address gossip and discovery listen on. On a public network the default is 0.0.0.0.',
  }),
  p2pPort: option({ key: 'p2p.port', parse: parse.port, default: 9222, description: 'Gossip over TCP, and discovery over UDP.' }),
  p2pPeers: option({
    key: 'p2p.peers',
    parse: parse.list(parse.text),
    default: [],
    description: 'Multiaddresses of peers to keep connected to; they are trusted.',
  }),
  p2pStatic: option({
    key: 'p2p.static',
    parse: parse.list(parse.text),
    default: [],
    description: 'More of the same, by the name op-node has for it.',
  }),
  p2pTrusted: option({
    key: 'p2p.trusted',
    parse: parse.list(parse.text),
    default: [],
    description: 'Peer ids (or multiaddresses) that no limit and no score sends away.',
  }),
  p2pAnnounce: option({
    key: 'p2p.announce',
    parse: parse.list(parse.text),
    default: [],
    description: 'Multiaddresses others reach this node at.',
  }),
  ...discoveryOptions,
  p2pNat: option({ key: 'p2p.nat', parse: parse.toggle, default: false, description: 'Ask the router (UPnP) to pass on the TCP port.' }),
  p2pPeersLow: option({
    key: 'p2p.peersLow',
    flag: 'p2p.peers.lo',
    parse: parse.integer(0, 1_000),
    default: DEFAULT_PEERING.low,
    description: 'With fewer peers, found nodes are dialled.',
  }),
  p2pPeersHigh: option({
    key: 'p2p.peersHigh',
    flag: 'p2p.peers.hi',
    alias: 'maxpeers',
    parse: parse.integer(1, 1_000),
    default: DEFAULT_PEERING.high,
    description: 'Maximum number of peers; further connections are refused.',
  }),
  p2pMaxPerAddress: option({
    key: 'p2p.maxPerAddress',
    parse: parse.integer(1, 1_000),
    default: DEFAULT_PEERING.maxPerAddress,
    description: 'Maximum number of peers with one IPv4 address or IPv6 /64.',
  }),
  p2pMaxPerSubnet: option({
    key: 'p2p.maxPerSubnet',
    parse: parse.integer(1, 1_000),
    default: DEFAULT_PEERING.maxPerSubnet,
    description: 'Maximum number of peers in one public /24 or IPv6 /48; of discovered nodes at most 3 in one are dialled.',
  }),
  p2pMinPeers: option({ key: 'p2p.minPeers', parse: parse.integer(0, 1000), default: 0, description: 'Not ready with fewer peers.' }),
  p2pBanning: option({
    key: 'p2p.ban.peers',
    parse: parse.toggle,
    default: true,
    description: 'Send away peers whose score is too low, and keep them out.',
  }),
  p2pBanThreshold: option({
    key: 'p2p.ban.threshold',
    parse: parse.decimal(LOWEST_THRESHOLD, 0),
    default: DEFAULT_PEERING.banning?.threshold ?? 0,
    description: 'Score below which a peer is banned; one invalid block costs 112.',
  }),
  p2pBanDuration: option({
    key: 'p2p.ban.duration',
    parse: parse.duration(MINUTE_MS, YEAR_MS),
    default: DEFAULT_PEERING.banning?.durationMs ?? 0,
    description: 'How long a ban lasts, restarts included.',
  }),
  p2pBanAddressAfter: option({
    key: 'p2p.ban.addressAfter',
    parse: parse.integer(0, 1_000),
    default: DEFAULT_PEERING.banning?.addressAfterPeers ?? 0,
    description: 'Ban an IPv4 address or IPv6 /64 once this many of its peers are banned; 0: never.',
  }),
  p2pNetRestrict: option({
    key: 'p2p.netrestrict',
    parse: parse.list(parse.network),
    default: [],
    description: 'Networks (CIDR) to dial into and discover in; none: all.',
  }),
} as const

type P2pValues = OptionValues<typeof p2pOptions>

export function p2pSettings(values: P2pValues): Omit<Libp2pGossipOptions, 'chainId' | 'blockTimeMs' | 'nodeKey'> {
  const { p2pHost: host, p2pPort: port, p2pAdvertiseIp: ip } = values
  const isLocal = host === '::1' || host === 'localhost' || host.startsWith('127.')
  const discovers = values.p2pDiscovery ?? (!isLocal || values.p2pBootnodes.length > 0)
  const advertised = ip === null ? [] : [`/${ip.includes(':') ? 'ip6' : 'ip4'}/${ip}/tcp/${values.p2pAdvertiseTcp ?? port}`]
  return {
    host,
    port,
    staticPeers: [...values.p2pPeers, ...values.p2pStatic],
    announce: values.p2pAnnounce.length > 0 ? values.p2pAnnounce : advertised,
    peering: {
      trusted: values.p2pTrusted,
      nat: values.p2pNat,
      low: values.p2pPeersLow,
      high: values.p2pPeersHigh,
      maxPerAddress: values.p2pMaxPerAddress,
      maxPerSubnet: values.p2pMaxPerSubnet,
      banning: values.p2pBanning
        ? { threshold: values.p2pBanThreshold, durationMs: values.p2pBanDuration, addressAfterPeers: values.p2pBanAddressAfter }
        : null,
      networks: values.p2pNetRestrict,
      discovery: discovers
        ? {
            ...DEFAULT_DISCOVERY,
            bootnodes: values.p2pBootnodes,
            udpPort: values.p2pUdpPort,
            advertise: { ip, tcpPort: values.p2pAdvertiseTcp, udpPort: values.p2pAdvertiseUdp },
          }
        : null,
    },
  }
}

export function p2pContradictions(values: P2pValues): readonly string[] {
  const { p2pEnabled, p2pPeersLow: low, p2pPeersHigh: high, p2pMinPeers: least } = values
  const mistakes: string[] = []
  if (low > high) mistakes.push(`--p2p.peers.lo ${low} is above --p2p.peers.hi ${high}: give a lower one`)
  if (least > 0 && !p2pEnabled) mistakes.push(`--p2p.min-peers ${least} without gossip: the node would never be ready; leave it out`)
  else if (least > high) mistakes.push(`--p2p.min-peers ${least} is above --p2p.peers.hi ${high}: the node would never be ready`)
  return mistakes
}

export async function p2pAddressMistakes(values: P2pValues): Promise<readonly string[]> {
  const { p2pPeers, p2pStatic, p2pTrusted, p2pAnnounce, p2pBootnodes } = values
  if ([p2pPeers, p2pStatic, p2pTrusted, p2pAnnounce, p2pBootnodes].every(({ length }) => length === 0)) return []
  const checks = await loadAddressChecks()
  const wrong = (flag: string, texts: readonly string[], expectedFor: (text: string) => string | null) =>
    texts.flatMap((text) => {
      const expected = expectedFor(text)
      return expected === null ? [] : [`--${flag}: expected ${expected}, got "${text.slice(0, 200)}"`]
    })
  return [
    ...wrong('p2p.peers', p2pPeers, checks.peerAddressMistake),
    ...wrong('p2p.static', p2pStatic, checks.peerAddressMistake),
    ...wrong('p2p.trusted', p2pTrusted, checks.peerNameMistake),
    ...wrong('p2p.announce', p2pAnnounce, checks.multiaddressMistake),
    ...wrong('p2p.bootnodes', p2pBootnodes, checks.bootnodeMistake),
  ]
}
