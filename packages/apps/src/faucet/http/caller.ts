/** Who called: the address itself, or what trusted proxies say of it. Each caller may ask only so often, whatever it asks. */
import type { Clock } from '@keelson/primitives'
import {
  clientAddress,
  createTokenBuckets,
  type IpNetwork,
  isInNetworks,
  parseIpAddress,
  showIpNetwork,
  subscriberOf,
  type TokenBucketOptions,
} from '@keelson/runtime'
import { createNetworkRate, MAX_BUCKETS } from '../../network-rate.ts'

export interface Caller {
  /** An IPv4 address, or the /64 of an IPv6 address. */
  readonly subscriber: string
  readonly ip: string
}

const WIDTH = { 4: 32, 6: 128 } as const
/** A socket that is already gone has no address. */
const UNKNOWN: Caller = { subscriber: 'unknown', ip: '0.0.0.0' }

export function callerOf(peer: string | undefined, forwardedFor: string | string[] | undefined, proxies: readonly IpNetwork[]): Caller {
  const address = parseIpAddress(peer ?? '')
  if (address === null) return UNKNOWN
  const header = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor
  const client = clientAddress(address, header, proxies)
  const [ip = ''] = showIpNetwork({ ...client, prefixLength: WIDTH[client.family] }).split('/')
  return { subscriber: subscriberOf(client), ip }
}

/** Returns null for proxies, which carry the connections of many callers, and for a closed socket. */
export function connectedCaller(peer: string | undefined, proxies: readonly IpNetwork[]): string | null {
  const address = parseIpAddress(peer ?? '')
  return address === null || isInNetworks(address, proxies) ? null : subscriberOf(address)
}

export interface RequestLimit {
  /** Returns false when the caller or its network has sent too many requests. */
  allows(subscriber: string): boolean
}

export function createRequestLimit(options: TokenBucketOptions, clock: Clock): RequestLimit {
  const callers = createTokenBuckets(options, clock, MAX_BUCKETS)
  const networks = createNetworkRate(options, clock)
  return { allows: (subscriber) => callers(subscriber).tryTake() && networks.allows(subscriber) }
}
