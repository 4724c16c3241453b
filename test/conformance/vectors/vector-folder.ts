import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ConformanceCase } from '../group.ts'
import type { FolderProblem } from './list-files.ts'

/** Skipped cases, which prove nothing. */
export interface LeftOut {
  readonly reason: string
  cases: number
}

const MAX_UNPACKED_BYTES = 2 ** 30

export class VectorFolder {
  readonly problems: FolderProblem[] = []
  readonly #root: string
  readonly #paths: readonly string[]
  readonly #taken = new Set<string>()
  readonly #leftOut = new Map<string, LeftOut>()

  constructor(root: string, paths: readonly string[]) {
    this.#root = root
    this.#paths = paths
  }

  get taken(): readonly string[] {
    return [...this.#taken]
  }

  get leftOut(): readonly LeftOut[] {
    return [...this.#leftOut.values()]
  }

  paths(prefix: string, pattern = /./): readonly string[] {
    return this.#paths.filter((path) => path.startsWith(prefix) && pattern.test(path) && !isDocumentation(path))
  }

  has(path: string): boolean {
    return this.#paths.includes(path)
  }

  take(path: string): void {
    this.#taken.add(path)
  }

  bytes(path: string): Buffer {
    this.take(path)
    return this.peek(path)
  }

  peek(path: string): Buffer {
    const bytes = readFileSync(join(this.#root, path))
    return path.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES }) : bytes
  }

  text(path: string): string {
    return this.bytes(path).toString('utf8')
  }

  json<T>(path: string): T {
    return JSON.parse(this.text(path)) as T
  }

  fail(path: string, message: string): void {
    this.problems.push({ path, message })
  }

  leaveOut(reason: string, cases = 1): void {
    const entry = this.#leftOut.get(reason) ?? { reason, cases: 0 }
    entry.cases += cases
    this.#leftOut.set(reason, entry)
  }

  casesOf(paths: readonly string[], load: (path: string) => readonly ConformanceCase[] | null): ConformanceCase[] {
    return paths.flatMap((path) => {
      this.take(path)
      const leftOut = this.#countLeftOut()
      try {
        const cases = load(path)
        if (cases?.length === 0 && this.#countLeftOut() === leftOut) this.fail(path, 'no cases in this file')
        return cases ?? []
      } catch (error) {
        this.fail(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`)
        return []
      }
    })
  }

  #countLeftOut(): number {
    return this.leftOut.reduce((sum, { cases }) => sum + cases, 0)
  }
}

export function isDocumentation(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return path === MANIFEST || /^(README|LICEN[CS]E|COPYING|NOTICE)(\.\w+)?$/i.test(name)
}

export const MANIFEST = 'manifest.json'
