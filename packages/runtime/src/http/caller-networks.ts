/**
 * The networks that contain a caller. An IPv6 subscriber has a /64, a customer of a provider a /56 or /48, and a provider
 * a /32; IPv4 addresses are bought or rented by the /24, and large networks have a /16. RFC 6177
 */

/** Levels, narrowest first. */
export const NETWORK_LEVELS = ['site', 'network', 'provider'] as const
export type NetworkLevel = (typeof NETWORK_LEVELS)[number]

export interface CallerNetwork {
  readonly level: NetworkLevel
  /** Key of the network, equal for all its callers. */
  readonly name: string
}

/** Prefix length per level. IPv4 has no site level: a site is a single address, the caller itself. */
const PREFIX_LENGTHS = {
  4: { site: null, network: 24, provider: 16 },
  6: { site: 56, network: 48, provider: 32 },
} as const
/** Address bits in the key of a subscriber. */
const SUBSCRIBER_BITS = { 4: 32, 6: 64 } as const
const SUBSCRIBER = /^([46]):([0-9a-f]{1,16})$/

/** Returns the networks of a subscriber key (see `subscriberOf`), narrowest first; none for a caller without an address. */
export function networksOf(subscriber: string): readonly CallerNetwork[] {
  const [, digit, hex] = SUBSCRIBER.exec(subscriber) ?? []
  if (digit === undefined || hex === undefined) return []
  const family = digit === '4' ? 4 : 6
  return NETWORK_LEVELS.flatMap((level) => {
    const prefixLength = PREFIX_LENGTHS[family][level]
    if (prefixLength === null) return []
    const bits = BigInt(`0x${hex}`) >> BigInt(SUBSCRIBER_BITS[family] - prefixLength)
    return [{ level, name: `${family}/${prefixLength}:${bits.toString(16)}` }]
  })
}

/** Returns the network of one customer: an IPv6 /48 or an IPv4 /24, or the caller itself when it has no address. */
export function customerOf(subscriber: string): string {
  return networksOf(subscriber).find(({ level }) => level === 'network')?.name ?? subscriber
}
