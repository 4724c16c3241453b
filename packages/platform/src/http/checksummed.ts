/** EIP-55 */
import { toAddress, toChecksumAddress } from '@keelson/primitives'

const ADDRESS = /(?<![0-9A-Za-z])0x[0-9a-fA-F]{40}(?![0-9A-Za-z])/g
const ADDRESS_LENGTH = 42
/** Data from other services is left unchanged. */
const VERBATIM: ReadonlySet<string> = new Set(['graph_data', 'analytics_rows'])
const MAX_CACHED = 1_000

const cache = new Map<string, string>()

export function checksummed<T>(value: T): T {
  return rewritten(value) as T
}

function rewritten(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length < ADDRESS_LENGTH || !value.includes('0x') ? value : value.replace(ADDRESS, withChecksum)
  if (Array.isArray(value)) {
    const items = value.map(rewritten)
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).map(([key, item]) => [key, VERBATIM.has(key) ? item : rewritten(item)] as const)
  return entries.some(([key, item]) => item !== (value as Record<string, unknown>)[key]) ? Object.fromEntries(entries) : value
}

function withChecksum(text: string): string {
  const lower = text.toLowerCase()
  const cached = cache.get(lower)
  if (cached !== undefined) return cached
  const made = toChecksumAddress(toAddress(lower))
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(lower, made)
  return made
}
