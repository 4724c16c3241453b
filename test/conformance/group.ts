import type { VectorFolder } from './vectors/vector-folder.ts'

export interface ConformanceCase {
  /** Unique in its group and stable: known-failures.json refers to it. */
  readonly id: string
  readonly long?: boolean
  run(): void | Promise<void>
}

export interface ConformanceGroup {
  readonly name: string
  /** A file below these prefixes that no group reads fails the run. */
  readonly under: readonly string[]
  readonly undivided?: true
  /** Returns the cases in a fixed order. Throws only when no case is usable. */
  load(folder: VectorFolder): readonly ConformanceCase[] | Promise<readonly ConformanceCase[]>
}
