/** Canonical JSON is independent of the order of keys. */
import { type Hash, keccak256Hash, utf8ToBytes } from '@keelson/primitives'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`
  const entries = Object.entries(value as { readonly [key: string]: Json | undefined })
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item as Json)}`).join(',')}}`
}

export function digestOf(value: Json): Hash {
  return keccak256Hash(utf8ToBytes(canonicalJson(value)))
}
