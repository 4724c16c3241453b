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
  /** An IPv4 address or an IPv6 /64. */
  readonly subscriber: string
  readonly ip: string
}

const WIDTH = { 4: 32, 6: 128 } as const
const UNKNOWN: Caller = { subscriber: 'unknown', ip: '0.0.0.0' }

export function callerOf(peer: string | undefined, forwardedFor: string | string[] | undefined, proxies: readonly IpNetwork[]): Caller {
  const address = parseIpAddress(peer ?? '')
  if (address === null) return UNKNOWN
  const header = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor
  const client = clientAddress(address, header, proxies)
  const [ip = ''] = showIpNetwork({ ...client, prefixLength: WIDTH[client.family] }).split('/')
  return { subscriber: subscriberOf(client), ip }
}

/** Returns null for proxies and closed sockets. */
export function connectedCaller(peer: string | undefined, proxies: readonly IpNetwork[]): string | null {
  const address = parseIpAddress(peer ?? '')
  return address === null || isInNetworks(address, proxies) ? null : subscriberOf(address)
}

export interface RequestLimit {
  allows(subscriber: string): boolean
}

export function createRequestLimit(options: TokenBucketOptions, clock: Clock): RequestLimit {
  const callers = createTokenBuckets(options, clock, MAX_BUCKETS)
  const networks = createNetworkRate(options, clock)
  return { allows: (subscriber) => callers(subscriber).tryTake() && networks.allows(subscriber) }
}
