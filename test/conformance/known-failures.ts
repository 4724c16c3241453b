/** Cases that fail, with the reason, by group. The list may only shrink: a listed case that passes fails the run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type KnownFailures = Readonly<Record<string, Readonly<Record<string, string>>>>

export const KNOWN_FAILURES = JSON.parse(readFileSync(join(import.meta.dirname, 'known-failures.json'), 'utf8')) as KnownFailures
