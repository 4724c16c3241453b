/**
 * Cases that fail, with the reason, by group. The list may only shrink: a listed case that passes fails the run.
 * An entry that ends in `*` stands for every case that begins so; all of them must fail.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type KnownFailures = Readonly<Record<string, Readonly<Record<string, string>>>>

export const KNOWN_FAILURES = JSON.parse(readFileSync(join(import.meta.dirname, 'known-failures.json'), 'utf8')) as KnownFailures

const BY_GROUP = new Map(Object.entries(KNOWN_FAILURES).map(([group, listed]) => [group, Object.keys(listed)]))

/** The entry of the list that names this case; null when there is none. */
export function findKnownFailure(group: string, id: string): string | null {
  if (KNOWN_FAILURES[group]?.[id] !== undefined) return id
  return BY_GROUP.get(group)?.find((entry) => entry.endsWith('*') && id.startsWith(entry.slice(0, -1))) ?? null
}
