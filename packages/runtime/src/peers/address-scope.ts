/** Scopes of IP addresses. RFC 6890, RFC 4291 */
import { isInNetworks, networkOf, parseIpAddress, parseIpNetwork, showIpNetwork, subscriberOf } from '../http/ip-address.ts'

/** `unusable`: unspecified, link-local, multicast or reserved. */
export type AddressScope = 'loopback' | 'private' | 'public' | 'unusable'

const networks = (...texts: readonly string[]) => texts.map(parseIpNetwork).filter((network) => network !== null)

const LOOPBACK = networks('127.0.0.0/8', '::1/128')
const PRIVATE = networks('10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', 'fc00::/7')
const UNUSABLE = networks('0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3', '::/96', 'fe80::/10', 'fec0::/10', 'ff00::/8')
const SUBNET_PREFIX_LENGTHS = { 4: 24, 6: 48 } as const

export function addressScope(ip: string): AddressScope | null {
  const address = parseIpAddress(ip)
  if (address === null) return null
  if (isInNetworks(address, LOOPBACK)) return 'loopback'
  if (isInNetworks(address, UNUSABLE)) return 'unusable'
  return isInNetworks(address, PRIVATE) ? 'private' : 'public'
}

/** Returns the public scope and those of configured addresses (listening, advertised, bootnodes). */
export function reachableScopes(configured: readonly string[]): ReadonlySet<AddressScope> {
  const own = new Set(configured.map(addressScope))
  const scopes = new Set<AddressScope>(['public'])
  if (own.has('loopback')) scopes.add('loopback')
  if (own.has('loopback') || own.has('private')) scopes.add('private')
  return scopes
}

/** Returns a key for the IPv4 address or the IPv6 /64. */
export function subscriberAt(ip: string): string | null {
  const address = parseIpAddress(ip)
  return address === null ? null : subscriberOf(address)
}

/** Returns the /24 of an IPv4 address or the /48 of an IPv6 address. */
export function subnetAt(ip: string): string | null {
  const address = parseIpAddress(ip)
  return address === null ? null : showIpNetwork(networkOf(address, SUBNET_PREFIX_LENGTHS[address.family]))
}

export function ipOfMultiaddress(text: string): string | null {
  return /^\/ip[46]\/([^/]+)/.exec(text)?.[1] ?? null
}

export function isLoopback(ip: string): boolean {
  return ip === '::1' || ip.startsWith('127.')
}
