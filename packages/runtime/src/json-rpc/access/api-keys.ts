/**
 * The file of API keys and tiers. It holds digests, so that reading it grants no access: { "tiers": { "enterprise": { "perSec":
 * 2000, "burst": 4000 } }, "keys": [{ "name": "acme", "tier": "enterprise", "sha256": "<64 hex digits>" }] }
 */
import { createHash } from 'node:crypto'
import type { TokenBucketOptions } from '../../token-bucket.ts'
import { jsonErrorPlace } from './json-error-place.ts'
import { DEFAULT_TIERS, type Tiers, TRUSTED_TIER } from './tiers.ts'

export interface ApiKey {
  /** Unique, because a name has one budget. */
  readonly name: string
  readonly tier: string
  readonly rate: TokenBucketOptions
}

export interface ApiKeys {
  readonly tiers: Tiers
  readonly count: number
  find(key: string): ApiKey | null
}

export type DecodedApiKeys = { readonly ok: true; readonly keys: ApiKeys } | { readonly ok: false; readonly mistakes: readonly string[] }

/** Tiers are metric labels, so their number is limited. */
const MAX_TIERS = 32
const MAX_KEYS = 100_000
const MAX_MISTAKES = 20
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i
const MAX_RATE = 1_000_000

export const NO_API_KEYS: ApiKeys = { tiers: DEFAULT_TIERS, count: 0, find: () => null }

export function apiKeyDigest(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

export function decodeApiKeys(text: string): DecodedApiKeys {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    // The parser's message would quote the text.
    return { ok: false, mistakes: [`not JSON: ${jsonErrorPlace(text)}`] }
  }
  const mistakes: string[] = []
  const wrong = (field: string, what: string) => {
    if (mistakes.length < MAX_MISTAKES) mistakes.push(`${field}: ${what}`)
  }
  if (!isObject(file)) return { ok: false, mistakes: ['expected an object with "tiers" and "keys"'] }
  refuseOthers(file, ['tiers', 'keys', '$schema'], '', wrong)
  const tiers = readTiers(file.tiers ?? {}, wrong)
  const byDigest = readKeys(file.keys ?? [], tiers, wrong)
  if (mistakes.length > 0) return { ok: false, mistakes }
  return { ok: true, keys: { tiers, count: byDigest.size, find: (key) => byDigest.get(apiKeyDigest(key)) ?? null } }
}

type Wrong = (field: string, what: string) => void

function readTiers(value: unknown, wrong: Wrong): Tiers {
  const tiers: Record<string, TokenBucketOptions> = { ...DEFAULT_TIERS }
  if (!isObject(value)) {
    wrong('tiers', 'expected an object of tiers by name')
    return tiers
  }
  for (const [name, tier] of Object.entries(value)) {
    const field = `tiers.${shown(name)}`
    if (!NAME.test(name)) wrong(field, 'a name is 1 to 64 letters, digits, dots, dashes and underscores')
    else if (name === TRUSTED_TIER) wrong(field, 'this name is reserved for callers without a limit')
    else if (!isObject(tier)) wrong(field, 'expected {"perSec": calls, "burst": calls}')
    else tiers[name] = readRate(tier, field, wrong)
  }
  if (Object.keys(tiers).length > MAX_TIERS) wrong('tiers', `${Object.keys(tiers).length} tiers; at most ${MAX_TIERS}`)
  return tiers
}

function readRate(tier: Readonly<Record<string, unknown>>, field: string, wrong: Wrong): TokenBucketOptions {
  refuseOthers(tier, ['perSec', 'burst'], `${field}.`, wrong)
  const { perSec, burst } = tier
  if (!isWithin(perSec, 0.001)) wrong(`${field}.perSec`, `expected a number from 0.001 to ${MAX_RATE}`)
  if (!isWithin(burst, 1) || !Number.isInteger(burst)) wrong(`${field}.burst`, `expected a whole number from 1 to ${MAX_RATE}`)
  return { perSec: perSec as number, burst: burst as number }
}

function readKeys(value: unknown, tiers: Tiers, wrong: Wrong): ReadonlyMap<string, ApiKey> {
  const byDigest = new Map<string, ApiKey>()
  const names = new Set<string>()
  const readKey = (entry: unknown, field: string): readonly [string, string] | null => {
    if (!isObject(entry)) return [field, 'expected {"name", "tier", "sha256"}']
    refuseOthers(entry, ['name', 'tier', 'sha256'], `${field}.`, wrong)
    const { name, tier, sha256 } = entry
    if (typeof name !== 'string' || !NAME.test(name)) {
      return [`${field}.name`, 'expected 1 to 64 letters, digits, dots, dashes and underscores']
    }
    if (names.has(name)) return [`${field}.name`, `"${name}" appears twice`]
    names.add(name)
    const rate = typeof tier === 'string' && Object.hasOwn(tiers, tier) ? tiers[tier] : undefined
    if (rate === undefined) return [`${field}.tier`, `expected one of ${Object.keys(tiers).join(', ')}`]
    // The value may be a key entered by mistake.
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256)) {
      return [`${field}.sha256`, 'expected the SHA-256 of the key, 64 hex digits']
    }
    if (byDigest.has(sha256.toLowerCase())) return [`${field}.sha256`, 'this key appears twice']
    byDigest.set(sha256.toLowerCase(), { name, tier: tier as string, rate })
    return null
  }
  if (!Array.isArray(value)) {
    wrong('keys', 'expected a list')
    return byDigest
  }
  if (value.length > MAX_KEYS) wrong('keys', `${value.length} keys; at most ${MAX_KEYS}`)
  for (const [i, entry] of value.slice(0, MAX_KEYS).entries()) {
    const mistake = readKey(entry, `keys[${i}]`)
    if (mistake !== null) wrong(...mistake)
  }
  return byDigest
}

function refuseOthers(object: object, known: readonly string[], prefix: string, wrong: Wrong): void {
  for (const name of Object.keys(object))
    if (!known.includes(name)) wrong(`${prefix}${shown(name)}`, `unknown; known are ${known.filter((k) => k !== '$schema').join(', ')}`)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isWithin(value: unknown, min: number): boolean {
  return typeof value === 'number' && value >= min && value <= MAX_RATE
}

function shown(name: string): string {
  return name.length <= 64 ? name : `${name.slice(0, 64)}...`
}
