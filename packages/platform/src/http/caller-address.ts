import { clientAddress, type IpNetwork, parseIpAddress, subscriberOf } from '@keelson/runtime'

/** IPv4 address, /64 of an IPv6 address, or `unknown` for a closed socket. */
export function subscriberAddress(
  peer: string | undefined,
  forwardedFor: string | string[] | undefined,
  proxies: readonly IpNetwork[],
): string {
  const address = parseIpAddress(peer ?? '')
  if (address === null) return 'unknown'
  const header = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor
  return subscriberOf(clientAddress(address, header, proxies))
}
