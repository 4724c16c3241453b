/** Parsers throw OptionValueError with "expected a port, got ...". */
import { type Address, describeWrongChecksum, type Hash, hasWrongChecksum, hexToBytes, isHex, toAddress, toHash } from '@keelson/primitives'
import { type IpNetwork, parseIpNetwork, showIpNetwork } from '../http/ip-address.ts'
import { Secret } from '../secret.ts'
import { maskUrl } from './mask-url.ts'

export class OptionValueError extends Error {}

export class SecretValueError extends OptionValueError {}

/** JSON Schema of a value in a configuration file. A value that it accepts may still be refused, such as a duration out of range. */
export interface ValueSchema {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | readonly ('string' | 'integer' | 'number')[]
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly items?: ValueSchema
}

export interface Parser<T> {
  (value: unknown): T
  readonly schema: ValueSchema
  readonly placeholder?: string
  readonly isSwitch?: boolean
  readonly isList?: boolean
  show?(value: T): string
}

function parser<T>(placeholder: string, schema: ValueSchema, parse: (value: unknown) => T, isSwitch = false): Parser<T> {
  return Object.assign((value: unknown) => parse(value), { placeholder, schema, isSwitch })
}

function expected(what: string, value: unknown): OptionValueError {
  const shown = typeof value === 'string' ? `"${value.slice(0, 80)}"` : String(JSON.stringify(value)).slice(0, 80)
  return new OptionValueError(`expected ${what}, got ${shown}`)
}

export const text: Parser<string> = parser('<text>', { type: 'string', minLength: 1 }, (value) => {
  if (typeof value !== 'string' || value === '') throw expected('text', value)
  return value
})

export const path: Parser<string> = parser('<path>', text.schema, (value) => text(value))

export const toggle: Parser<boolean> = parser(
  '',
  { type: 'boolean' },
  (value) => {
    if (value === true || value === 'true' || value === '1') return true
    if (value === false || value === 'false' || value === '0') return false
    throw expected('true or false', value)
  },
  true,
)

function bounds(min: number, max: number): Pick<ValueSchema, 'minimum' | 'maximum'> {
  return {
    ...(min === -Number.MAX_SAFE_INTEGER ? {} : { minimum: min }),
    ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }),
  }
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Parser<number> {
  return parser('<number>', { type: 'integer', ...bounds(min, max) }, (value) => {
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= min && number <= max) return number
    throw expected(max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`, value)
  })
}

export const port: Parser<number> = parser('<port>', integer(0, 65535).schema, integer(0, 65535))

export function decimal(min: number, max: number): Parser<number> {
  return parser('<number>', { type: 'number', ...bounds(min, max) }, (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number === 'number' && number >= min && number <= max) return number
    throw expected(`a number from ${min} to ${max}`, value)
  })
}

const DURATION_UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const
type DurationUnit = keyof typeof DURATION_UNITS_MS

const DURATION_SCHEMA: ValueSchema = { type: 'string', pattern: '^\\d{1,15}(ms|s|m|h|d)$' }

/** Parses 500ms, 30s, 5m, 12h or 7d. */
export function duration(minMs: number, maxMs: number): Parser<number> {
  const parse = (value: unknown): number => {
    const [, digits, unit] = (typeof value === 'string' ? /^(\d{1,15})(ms|s|m|h|d)$/.exec(value) : null) ?? []
    const ms = Number(digits) * DURATION_UNITS_MS[unit as DurationUnit]
    if (ms >= minMs && ms <= maxMs) return ms
    throw expected(`a time from ${showDuration(minMs)} to ${showDuration(maxMs)}, with its unit (ms, s, m, h or d)`, value)
  }
  return Object.assign(parse, { placeholder: '<time>', schema: DURATION_SCHEMA, show: showDuration })
}

function showDuration(ms: number): string {
  const units = Object.entries(DURATION_UNITS_MS)
  const [unit, unitMs] = units.find(([, size]) => ms >= size && ms % size === 0) ?? ['ms', 1]
  return `${ms / unitMs}${unit}`
}

const BYTE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
}

const SIZE_SCHEMA: ValueSchema = { type: ['integer', 'string'], minimum: 0, pattern: '^\\d{1,15}\\s?([KMGT]i?B|B|)$' }

/** Parses 16GiB, 500MB or a plain number. */
export const byteSize: Parser<number> = Object.assign(
  (value: unknown): number => {
    const [, digits, unit] =
      /^(\d{1,15})\s?([KMGT]i?B|B|)$/.exec(typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '') ?? []
    const bytes = Number(digits) * (BYTE_UNITS[unit ?? ''] as number)
    if (Number.isSafeInteger(bytes)) return bytes
    throw expected('a size such as 16GiB, 500MB or 1048576', value)
  },
  { placeholder: '<size>', schema: SIZE_SCHEMA, show: showBytes },
)

export function byteSizeWithin(min: number, max = Number.MAX_SAFE_INTEGER): Parser<number> {
  const parse = (value: unknown): number => {
    const bytes = byteSize(value)
    if (bytes >= min && bytes <= max) return bytes
    const most = max === Number.MAX_SAFE_INTEGER ? '' : ` to ${showBytes(max)}`
    throw expected(`a size from ${showBytes(min)}${most}`, value)
  }
  return Object.assign(parse, { placeholder: '<size>', schema: SIZE_SCHEMA, show: showBytes })
}

function showBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let at = 0
  let shown = bytes
  while (shown >= 1024 && shown % 1024 === 0 && at < units.length - 1) {
    shown /= 1024
    at++
  }
  return `${shown}${units[at]}`
}

const BIG_INTEGER_SCHEMA: ValueSchema = { type: ['integer', 'string'], minimum: 0, pattern: '^(\\d+|0x[0-9a-fA-F]+)$' }

export const bigInteger: Parser<bigint> = parser('<number>', BIG_INTEGER_SCHEMA, (value) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^(\d+|0x[0-9a-fA-F]+)$/.test(value)) return BigInt(value)
  throw expected('a whole number from 0', value)
})

const WEI_PER_GWEI = 1_000_000_000n
const GWEI_DECIMALS = 9
const GWEI_SCHEMA: ValueSchema = { type: ['number', 'string'], minimum: 0, pattern: '^\\d{1,18}(\\.\\d{1,9})?$' }

/** Parses gwei and returns wei. */
export const gwei: Parser<bigint> = Object.assign(
  (value: unknown): bigint => {
    const text = typeof value === 'number' ? String(value) : value
    const [, whole, part] = (typeof text === 'string' ? /^(\d{1,18})(?:\.(\d{1,9}))?$/.exec(text) : null) ?? []
    if (whole === undefined) throw expected('gwei such as 1 or 0.05', value)
    return BigInt(whole) * WEI_PER_GWEI + BigInt((part ?? '').padEnd(GWEI_DECIMALS, '0'))
  },
  { placeholder: '<gwei>', schema: GWEI_SCHEMA, show: showGwei },
)

function showGwei(wei: bigint): string {
  const part = String(wei % WEI_PER_GWEI)
    .padStart(GWEI_DECIMALS, '0')
    .replace(/0+$/, '')
  return `${wei / WEI_PER_GWEI}${part === '' ? '' : `.${part}`}`
}

export function oneOf<const T extends string>(...choices: readonly T[]): Parser<T> {
  return parser(`<${choices.join('|')}>`, { type: 'string', enum: choices }, (value) => {
    if (choices.includes(value as T)) return value as T
    throw expected(`one of ${choices.join(', ')}`, value)
  })
}

export const network: Parser<IpNetwork> = Object.assign(
  (value: unknown) => {
    const parsed = typeof value === 'string' ? parseIpNetwork(value) : null
    if (parsed === null) throw expected('an address or a network such as 192.0.2.0/24 or 2001:db8::/32', value)
    return parsed
  },
  { placeholder: '<network>', schema: text.schema, show: showIpNetwork },
)

export function list<T>(item: Parser<T>): Parser<readonly T[]> {
  const parse = (value: unknown): readonly T[] => {
    if (Array.isArray(value)) return value.map((part) => item(part))
    if (typeof value !== 'string') throw expected('a list', value)
    if (value === '') return []
    return value.split(',').map((part) => item(part.trim()))
  }
  return Object.assign(parse, {
    placeholder: `${item.placeholder ?? '<text>'},...`,
    schema: { type: 'array', items: item.schema } as const,
    isList: true,
    show: (values: readonly T[]) => values.map((value) => item.show?.(value) ?? String(value)).join(','),
  })
}

function urlOf(...protocols: readonly string[]): Parser<string> {
  const parse = (value: unknown): string => {
    const found = typeof value === 'string' && URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : null
    if (found !== null && protocols.includes(found)) return value as string
    // The URL may hold an API key.
    throw new OptionValueError(`expected a URL beginning with ${protocols.map((p) => `${p}://`).join(' or ')}`)
  }
  const schema: ValueSchema = { type: 'string', pattern: `^(${protocols.join('|')})://` }
  return Object.assign(parse, { placeholder: '<url>', schema, show: maskUrl })
}

export const httpUrl: Parser<string> = urlOf('http', 'https')

export const wsUrl: Parser<string> = urlOf('ws', 'wss')
export const rpcUrl: Parser<string> = urlOf('http', 'https', 'ws', 'wss')

export const address: Parser<Address> = parser('<address>', { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' }, (value) => {
  if (!isHex(value, 20)) throw expected('an address (20 bytes of hex)', value)
  if (hasWrongChecksum(value)) throw new OptionValueError(describeWrongChecksum(value))
  return toAddress(value)
})

export const hash: Parser<Hash> = parser('<hash>', { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' }, (value) => {
  if (isHex(value, 32)) return toHash(value)
  throw expected('a hash (32 bytes of hex)', value)
})

export const privateKey: Parser<Secret<Uint8Array>> = parser('<hex>', { type: 'string', pattern: '^(0x)?[0-9a-fA-F]{64}$' }, (value) => {
  const hex = typeof value === 'string' && !value.startsWith('0x') ? `0x${value}` : value
  if (isHex(hex, 32)) return new Secret(hexToBytes(hex))
  throw new SecretValueError('expected a private key: 32 bytes as 64 hex digits, with or without 0x')
})
