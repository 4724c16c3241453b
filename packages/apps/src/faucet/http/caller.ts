/** Who called: the address itself, or what trusted proxies say of it. Each caller may ask only so often, whatever it asks. */
import type { Clock } from '@keelson/primitives'
import {
  clientAddress,
  createTokenBucket,
  type IpNetwork,
  parseIpAddress,
  showIpNetwork,
  subscriberOf,
  type TokenBucket,
} from '@keelson/runtime'

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

export interface RequestLimit {
  /** False: too many requests of this caller. */
  allows(subscriber: string): boolean
}

/** As many callers are remembered; who is forgotten begins anew. */
const MAX_CALLERS = 20_000

export function createRequestLimit(options: { readonly perSec: number; readonly burst: number }, clock: Clock): RequestLimit {
  const buckets = new Map<string, TokenBucket>()
  return {
    allows(subscriber) {
      const bucket = buckets.get(subscriber) ?? createTokenBucket(options, clock)
      // the newest last
      buckets.delete(subscriber)
      buckets.set(subscriber, bucket)
      if (buckets.size > MAX_CALLERS) buckets.delete(buckets.keys().next().value as string)
      return bucket.tryTake()
    },
  }
}
