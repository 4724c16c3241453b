/** A listed case that passes fails the run. `*` matches any characters; every match must fail. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type KnownFailures = Readonly<Record<string, Readonly<Record<string, string>>>>

export const KNOWN_FAILURES = JSON.parse(readFileSync(join(import.meta.dirname, 'known-failures.json'), 'utf8')) as KnownFailures

const PATTERNS = new Map(
  Object.entries(KNOWN_FAILURES).map(([group, listed]) => [
    group,
    Object.keys(listed)
      .filter((entry) => entry.includes('*'))
      .map((entry) => ({ entry, pattern: new RegExp(`^${entry.split('*').map(escapeRegExp).join('.*')}$`, 's') })),
  ]),
)

export function findKnownFailure(group: string, id: string): string | null {
  if (KNOWN_FAILURES[group]?.[id] !== undefined) return id
  return PATTERNS.get(group)?.find(({ pattern }) => pattern.test(id))?.entry ?? null
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
