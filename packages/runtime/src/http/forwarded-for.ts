/** X-Forwarded-For is read from the right, because each proxy appends the address it saw. */
import { type IpAddress, type IpNetwork, isInNetworks, parseIpAddress } from './ip-address.ts'

const MAX_HOPS = 16

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

/** Some proxies add the port. */
function parseHop(text: string): IpAddress | null {
  const bracketed = /^\[([^\]]*)\](:\d+)?$/.exec(text)
  if (bracketed !== null) return parseIpAddress(bracketed[1] as string)
  return parseIpAddress(text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'))
}
