/**
 * The networks around a caller. The holder of one IPv6 address has its /64, a customer of a provider has a /56 or a /48 of
 * them, and a provider a /32; IPv4 addresses are bought or rented by the /24, and large networks have a /16. RFC 6177
 */

/** From the narrowest. */
export const NETWORK_LEVELS = ['site', 'network', 'provider'] as const
export type NetworkLevel = (typeof NETWORK_LEVELS)[number]

export interface CallerNetwork {
  readonly level: NetworkLevel
  /** The same text for all callers of the network. */
  readonly name: string
}

/** Of an IPv4 network, a site is one address, which is the caller itself. */
const PREFIX_LENGTHS = {
  4: { site: null, network: 24, provider: 16 },
  6: { site: 56, network: 48, provider: 32 },
} as const
/** Bits of the address in the name of a subscriber. */
const SUBSCRIBER_BITS = { 4: 32, 6: 64 } as const
const SUBSCRIBER = /^([46]):([0-9a-f]{1,16})$/

/** `subscriber` as `subscriberOf` names it. From the narrowest network; none for a caller without an address. */
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

/** The network that stands for one customer: the /48 of IPv6, the /24 of IPv4; the caller itself where it has no address. */
export function customerOf(subscriber: string): string {
  return networksOf(subscriber).find(({ level }) => level === 'network')?.name ?? subscriber
}
