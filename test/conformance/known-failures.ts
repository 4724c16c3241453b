/** A listed case that passes fails the run. `*` matches any characters; every match must fail. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunOptions } from './options.ts'

type Listed = Readonly<Record<string, Readonly<Record<string, string>>>>

const readList = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as Listed

export class KnownFailures {
  readonly #lists: readonly Listed[]

  constructor({ secondOpinion }: Pick<RunOptions, 'secondOpinion'>) {
    this.#lists = [readList('known-failures.json'), ...(secondOpinion ? [readList('known-failures-of-second-opinion.json')] : [])]
  }

  entries(group: string): string[] {
    return this.#lists.flatMap((listed) => Object.keys(listed[group] ?? {}))
  }

  /** Returns the entry. */
  find(group: string, id: string): string | null {
    return this.entries(group).find((entry) => entry === id || (entry.includes('*') && patternOf(entry).test(id))) ?? null
  }
}

const patterns = new Map<string, RegExp>()

function patternOf(entry: string): RegExp {
  const pattern = patterns.get(entry) ?? new RegExp(`^${entry.split('*').map(escapeRegExp).join('.*')}$`, 's')
  patterns.set(entry, pattern)
  return pattern
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
