import type { MappedAddress } from '@keelson/runtime/discovery'
import { addressScope } from '@keelson/runtime/peers'

/** Returns the first public IPv4 multiaddress with a TCP port. */
export function mappedAddress(multiaddresses: readonly string[]): MappedAddress | null {
  for (const text of multiaddresses) {
    const [, ip, port] = /^\/ip4\/([\d.]+)\/tcp\/(\d+)/.exec(text) ?? []
    if (ip !== undefined && addressScope(ip) === 'public') return { ip, tcpPort: Number(port) }
  }
  return null
}
