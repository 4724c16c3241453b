import { addressScope } from '@keelson/runtime/peers'
import type { MappedAddress } from './discovery.ts'

/** Returns the first public IPv4 multiaddress with a TCP port. */
export function mappedAddress(multiaddresses: readonly string[]): MappedAddress | null {
  for (const text of multiaddresses) {
    const [, ip, port] = /^\/ip4\/([\d.]+)\/tcp\/(\d+)/.exec(text) ?? []
    if (ip !== undefined && addressScope(ip) === 'public') return { ip, tcpPort: Number(port) }
  }
  return null
}
