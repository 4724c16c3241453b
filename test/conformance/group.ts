/** What a group of vectors is to the runner. One file per group in groups/, listed in groups/index.ts. */
import type { VectorFolder } from './vectors/vector-folder.ts'

export interface ConformanceCase {
  /** Unique inside its group; stable, because known-failures.json names it. */
  readonly id: string
  /** Takes from many seconds to minutes, so samples leave it out. */
  readonly long?: boolean
  /** Resolves when the case passes; throws (an AssertionError, say) with the difference when it does not. */
  run(): void | Promise<void>
}

export interface ConformanceGroup {
  readonly name: string
  /** Beginnings of the paths that the group may read, such as `kzg/`. A file below one of them that no group reads fails the run. */
  readonly under: readonly string[]
  /** Its cases share costly work, so one process runs them all. */
  readonly undivided?: true
  /**
   * Finds the group's cases, always in the same order. One unusable file is reported through `folder.fail` and leaves
   * the others standing; throws only when nothing can be judged.
   */
  load(folder: VectorFolder): readonly ConformanceCase[] | Promise<readonly ConformanceCase[]>
}
