/** Discovery over discv5: options of both clients, and the settings of an execution client. */
import type { NetworkOptions } from '@keelson/execution'
import { type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { ipAddress } from './ip-address-parser.ts'

export const discoveryOptions = {
  p2pDiscovery: optionalOption({
    key: 'p2p.discovery',
    parse: parse.toggle,
    description: 'Find peers over discv5. Default: on when listening beyond loopback, or when bootnodes are given.',
  }),
  p2pBootnodes: option({
    key: 'p2p.bootnodes',
    parse: parse.list(parse.text),
    default: [],
    description:
      'Where discovery begins: records (enr:...) or enode://... addresses. Not needed once nodes were found. Default: those of the public network.',
  }),
  p2pUdpPort: optionalOption({
    key: 'p2p.udpPort',
    parse: parse.port,
    description: 'Discovery over UDP, when on another port than --p2p.port.',
  }),
  p2pAdvertiseIp: optionalOption({
    key: 'p2p.advertise.ip',
    parse: ipAddress,
    description: 'Address others reach this node at, for its discovery record. Left out: as other nodes see it.',
  }),
  p2pAdvertiseTcp: optionalOption({
    key: 'p2p.advertise.tcp',
    parse: parse.port,
    description: 'TCP port in the record, when not --p2p.port.',
  }),
  p2pAdvertiseUdp: optionalOption({
    key: 'p2p.advertise.udp',
    parse: parse.port,
    description: 'UDP port in the record, when not the own.',
  }),
} as const

type DiscoveryValues = OptionValues<typeof discoveryOptions> & { readonly p2pHost: string }

const WALK_EVERY_MS = { wanting: 5_000, content: 20_000 }

/** Null without discovery. */
export function discoverySettings(values: DiscoveryValues): NetworkOptions['discovery'] {
  const { p2pHost: host, p2pBootnodes: bootnodes } = values
  const isLocal = host === '::1' || host === 'localhost' || host.startsWith('127.')
  if (!(values.p2pDiscovery ?? (!isLocal || bootnodes.length > 0))) return null
  return {
    bootnodes,
    udpPort: values.p2pUdpPort,
    advertise: { ip: values.p2pAdvertiseIp, tcpPort: values.p2pAdvertiseTcp, udpPort: values.p2pAdvertiseUdp },
    walkEveryMs: WALK_EVERY_MS,
  }
}
