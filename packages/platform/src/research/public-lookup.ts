/**
 * Resolves names for connections to hosts of callers. A name is resolved once per connection, all addresses are checked,
 * and the connection uses only these, so that a changed record cannot redirect it. RFC 6890, RFC 6598, RFC 6052, RFC 8215,
 * RFC 3056, RFC 4380
 */
import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isInNetworks, parseIpAddress, parseIpNetwork } from '@keelson/runtime'

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

const networks = (...texts: readonly string[]) =>
  texts.map((text) => {
    const network = parseIpNetwork(text)
    if (network === null) throw new RangeError(`expected a network, got ${text}`)
    return network
  })

const SPECIAL_V4 = networks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
)
/** Ranges within 2000::/3 that embed other addresses or are reserved. */
const SPECIAL_V6 = networks('2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20')
const GLOBAL_V6 = networks('2000::/3')

/** True for a public internet address: not private, local, reserved, shared, or embedding another. */
export function isPublicAddress(text: string): boolean {
  const address = text.includes('%') ? null : parseIpAddress(text)
  if (address === null) return false
  // an IPv4-mapped address reaches the IPv4 address, and no public name needs it
  if (address.family === 4) return !text.includes(':') && !isInNetworks(address, SPECIAL_V4)
  return isInNetworks(address, GLOBAL_V6) && !isInNetworks(address, SPECIAL_V6)
}

const NOT_PUBLIC = 'EADDRNOTPUBLIC'

/** Whether a refused address is among the causes of the error. */
export function isNotPublic(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (error as NodeJS.ErrnoException).code === NOT_PUBLIC || isNotPublic(error.cause)
}

const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true, verbatim: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)))
  })

/** Lookup function for an HTTP client. One address that is not public refuses all. */
export function createPublicLookup(
  resolve: Resolve = resolveBySystem,
  isAllowed: (address: string) => boolean = isPublicAddress,
): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined) return callback(failure('ENOTFOUND', 'it has no address'), '')
        if (!addresses.every(({ address }) => isAllowed(address)))
          return callback(failure(NOT_PUBLIC, 'it has an address that is not public'), '')
        if (options.all === true) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}

function failure(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code })
}
