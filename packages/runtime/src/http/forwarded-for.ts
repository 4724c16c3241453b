/**
 * Who called through a proxy. Anybody can send X-Forwarded-For, so it counts only from proxies named
 * by the operator, and is read from the right: each proxy appends the address that it saw itself.
 */
import { type IpAddress, type IpNetwork, isInNetworks, parseIpAddress } from './ip-address.ts'

/** More hops than any chain of proxies has: the rest is made up. */
const MAX_HOPS = 16

/** The rightmost address that is not one of the proxies; a hop that cannot be read counts as the proxy that passed it on. */
export function clientAddress(peer: IpAddress, forwardedFor: string | undefined, proxies: readonly IpNetwork[]): IpAddress {
  if (forwardedFor === undefined || !isInNetworks(peer, proxies)) return peer
  let client = peer
  for (const hop of forwardedFor.split(',').reverse().slice(0, MAX_HOPS)) {
    const address = parseHop(hop.trim())
    if (address === null) return client
    client = address
    if (!isInNetworks(address, proxies)) return client
  }
  return client
}

/** Some proxies write the port too: `192.0.2.1:443`, `[2001:db8::1]:443`. */
function parseHop(text: string): IpAddress | null {
  const bracketed = /^\[([^\]]*)\](:\d+)?$/.exec(text)
  if (bracketed !== null) return parseIpAddress(bracketed[1] as string)
  return parseIpAddress(text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'))
}
