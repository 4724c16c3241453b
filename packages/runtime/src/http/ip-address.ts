/** RFC 4291, RFC 4632 */
import { isIP } from 'node:net'

export interface IpAddress {
  readonly family: 4 | 6
  readonly bits: bigint
}

export interface IpNetwork {
  readonly family: 4 | 6
  readonly bits: bigint
  readonly prefixLength: number
}

const WIDTH = { 4: 32, 6: 128 } as const
const MAPPED_PREFIX = 0xffffn
const LOOPBACK: readonly IpNetwork[] = [
  { family: 4, bits: 0x7f00_0000n, prefixLength: 8 },
  { family: 6, bits: 1n, prefixLength: 128 },
]
export const SUBSCRIBER_PREFIX_LENGTHS = { 4: 32, 6: 64 } as const

/** Converts IPv4-mapped IPv6 addresses to IPv4. */
export function parseIpAddress(text: string): IpAddress | null {
  const unscoped = text.split('%')[0] as string
  const family = isIP(unscoped)
  if (family === 0) return null
  if (family === 4) return { family: 4, bits: ipv4Bits(unscoped) }
  const bits = ipv6Bits(unscoped)
  return bits >> 32n === MAPPED_PREFIX ? { family: 4, bits: bits & 0xffffffffn } : { family: 6, bits }
}

/** Ignores bits after the prefix. */
export function parseIpNetwork(text: string): IpNetwork | null {
  const [address = '', length, ...rest] = text.split('/')
  const parsed = address.includes('%') ? null : parseIpAddress(address)
  if (parsed === null || rest.length > 0) return null
  const width = WIDTH[parsed.family]
  if (length === undefined) return { ...parsed, prefixLength: width }
  if (!/^\d{1,3}$/.test(length) || Number(length) > width) return null
  return networkOf(parsed, Number(length))
}

export function showIpNetwork({ family, bits, prefixLength }: IpNetwork): string {
  const size = family === 4 ? 8 : 16
  const parts = Array.from(
    { length: WIDTH[family] / size },
    (_, i) => (bits >> BigInt(WIDTH[family] - size * (i + 1))) & ((1n << BigInt(size)) - 1n),
  )
  const text = family === 4 ? parts.join('.') : parts.map((part) => part.toString(16)).join(':')
  return `${text}/${prefixLength}`
}

export function isInNetworks(address: IpAddress, networks: readonly IpNetwork[]): boolean {
  return networks.some(({ family, bits, prefixLength }) => {
    if (family !== address.family) return false
    const shift = BigInt(WIDTH[family] - prefixLength)
    return address.bits >> shift === bits >> shift
  })
}

/** A key that all addresses of one subscriber share. */
export function subscriberOf({ family, bits }: IpAddress): string {
  return `${family}:${(bits >> BigInt(WIDTH[family] - SUBSCRIBER_PREFIX_LENGTHS[family])).toString(16)}`
}

export function networkOf({ family, bits }: IpAddress, prefixLength: number): IpNetwork {
  const shift = BigInt(WIDTH[family] - prefixLength)
  return { family, bits: (bits >> shift) << shift, prefixLength }
}

function ipv4Bits(text: string): bigint {
  return BigInt(text.split('.').reduce((bits, part) => bits * 256 + Number(part), 0))
}

function ipv6Bits(text: string): bigint {
  const lastColon = text.lastIndexOf(':')
  const tail = text.slice(lastColon + 1)
  const groups = tail.includes('.')
    ? `${text.slice(0, lastColon + 1)}${(ipv4Bits(tail) >> 16n).toString(16)}:${(ipv4Bits(tail) & 0xffffn).toString(16)}`
    : text
  const [head = '', rest] = groups.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = rest === undefined || rest === '' ? [] : rest.split(':')
  const zeroes = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeroes, ...after].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n)
}

/** True when only this machine reaches a server on `host`. */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost') return true
  const address = parseIpAddress(host)
  return address !== null && isInNetworks(address, LOOPBACK)
}
