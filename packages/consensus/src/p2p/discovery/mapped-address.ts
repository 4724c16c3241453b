/** Finds the address that the router mapped: the public one among the node's own addresses. */
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
