/** Which of a node's addresses is one that its router opened: the public one among those of its own network. */
import { isInNetworks, parseIpAddress, parseIpNetwork } from '@keelson/runtime'
import type { MappedAddress } from './discovery.ts'

/** RFC 6890: networks that are not reached from outside. */
const NOT_PUBLIC = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16'],
  '224.0.0.0/3',
]
  .map(parseIpNetwork)
  .filter((network) => network !== null)

/** The first public IPv4 address with a TCP port among multiaddresses; null when there is none. */
export function mappedAddress(multiaddresses: readonly string[]): MappedAddress | null {
  for (const text of multiaddresses) {
    const [, ip, port] = /^\/ip4\/([\d.]+)\/tcp\/(\d+)/.exec(text) ?? []
    const address = ip === undefined ? null : parseIpAddress(ip)
    if (ip !== undefined && address !== null && !isInNetworks(address, NOT_PUBLIC)) return { ip, tcpPort: Number(port) }
  }
  return null
}
