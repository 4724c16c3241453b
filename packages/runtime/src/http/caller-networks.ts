/** An IPv6 customer holds a /56 or /48, a provider a /32; IPv4 is sold by the /24 (RFC 6177). */

export const NETWORK_LEVELS = ['site', 'network', 'provider'] as const
export type NetworkLevel = (typeof NETWORK_LEVELS)[number]

export interface CallerNetwork {
  readonly level: NetworkLevel
  readonly name: string
}

const PREFIX_LENGTHS = {
  4: { site: null, network: 24, provider: 16 },
  6: { site: 56, network: 48, provider: 32 },
} as const
const SUBSCRIBER_BITS = { 4: 32, 6: 64 } as const
const SUBSCRIBER = /^([46]):([0-9a-f]{1,16})$/

/** Returns the narrowest network first. */
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

/** The caller's IPv6 /48 or IPv4 /24. */
export function customerOf(subscriber: string): string {
  return networksOf(subscriber).find(({ level }) => level === 'network')?.name ?? subscriber
}
