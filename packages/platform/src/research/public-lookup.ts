import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** IPv6 has no other global unicast range. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3')

export function isPublicAddress(text: string): boolean {
  if (text.includes('%') || !(ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text))) return false
  const address = ipaddr.parse(text)
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_V6))
}

const NOT_PUBLIC = 'EADDRNOTPUBLIC'

export function isNotPublic(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (error as NodeJS.ErrnoException).code === NOT_PUBLIC || isNotPublic(error.cause)
}

const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true, verbatim: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)))
  })

/** Resolves once per connection, so that a changed record cannot redirect it. One address that is not public refuses all. */
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
