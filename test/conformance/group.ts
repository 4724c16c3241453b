/** What a group of vectors is to the runner. One file per group in groups/, listed in groups/index.ts. */
export interface ConformanceCase {
  /** Unique inside its group; stable, because known-failures.json names it. */
  readonly id: string
  /** Takes from many seconds to minutes, so samples leave it out. */
  readonly long?: boolean
  /** Resolves when the case passes; throws (an AssertionError, say) with the difference when it does not. */
  run(): void | Promise<void>
}

export interface ConformanceGroup {
  /** Mostly the folder under the vectors directory. */
  readonly name: string
  /** Its cases share costly work, so one process runs them all. */
  readonly undivided?: true
  /** Reads its files; throws when any is missing, because a case that is not there must not pass. Always in the same order. */
  load(directory: string): readonly ConformanceCase[] | Promise<readonly ConformanceCase[]>
}
