/** Which of a node's addresses its router opened: the public one among those of its own network. */
import { addressScope } from '../peers/address-scope.ts'
import type { MappedAddress } from './discovery.ts'

/** The first public IPv4 address with a TCP port among multiaddresses; null when there is none. */
export function mappedAddress(multiaddresses: readonly string[]): MappedAddress | null {
  for (const text of multiaddresses) {
    const [, ip, port] = /^\/ip4\/([\d.]+)\/tcp\/(\d+)/.exec(text) ?? []
    if (ip !== undefined && addressScope(ip) === 'public') return { ip, tcpPort: Number(port) }
  }
  return null
}
