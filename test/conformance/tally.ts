import { findKnownFailure, KNOWN_FAILURES } from './known-failures.ts'
import type { PassedFile } from './passed-file.ts'
import type { LeftOut } from './vectors/vector-folder.ts'
import type { LoadedMessage, WorkerMessage } from './worker.ts'

export interface GroupResult {
  readonly name: string
  passed: number
  known: number
  failed: number
  elapsedMs: number
  cases: number | null
  leftOut: readonly LeftOut[]
}

export interface SlowCase {
  readonly name: string
  readonly elapsedMs: number
}

export interface LoadedGroup {
  readonly name: string
  readonly cases: number
  readonly taken: readonly string[]
}

const FOLDER = 'folder'
const SLOW_CASES_SHOWN = 15
const SLOW_CASE_MS = 5_000

export class Tally {
  readonly loaded: LoadedGroup[] = []
  readonly slowCases: SlowCase[] = []
  /** Exceptions that `refusals.ts` does not know; their cases were judged by the verdict alone. */
  readonly unlistedNames = new Set<string>()
  unusedEntries = 0
  readonly #results: ReadonlyMap<string, GroupResult>
  readonly #file: PassedFile
  readonly #report: (line: string) => void

  constructor(groups: readonly string[], file: PassedFile, report: (line: string) => void) {
    this.#results = new Map(
      [...groups, FOLDER].map((name) => [name, { name, passed: 0, known: 0, failed: 0, elapsedMs: 0, cases: null, leftOut: [] }]),
    )
    this.#file = file
    this.#report = report
  }

  get results(): readonly GroupResult[] {
    return [...this.#results.values()]
  }

  take(message: WorkerMessage): void {
    if (message.kind === 'begin' || message.kind === 'finished') return
    const result = this.#of(message.group)
    if (message.kind === 'end') this.#takeEnd(result, message)
    else if (message.kind === 'problem') this.fail(message.message, message.group)
    else if (message.kind === 'loaded') this.#takeLoaded(result, message)
    else this.#takeCase(result, message)
  }

  fail(message: string, group: string = FOLDER): void {
    this.#of(group).failed++
    this.#report(`${group}: ${message}`)
  }

  #of(group: string): GroupResult {
    const result = this.#results.get(group)
    if (result === undefined) throw new Error(`no group ${group} in this run`)
    return result
  }

  #takeEnd(result: GroupResult, { elapsedMs, unlistedNames }: Extract<WorkerMessage, { kind: 'end' }>): void {
    result.elapsedMs = Math.max(result.elapsedMs, elapsedMs)
    for (const name of unlistedNames) this.unlistedNames.add(name)
  }

  #takeLoaded(result: GroupResult, { ids, taken, leftOut }: LoadedMessage): void {
    const { name } = result
    result.cases = ids.length
    result.leftOut = leftOut
    this.loaded.push({ name, cases: ids.length, taken })
    const entries = new Set(ids.map((id) => findKnownFailure(name, id)))
    this.unusedEntries += Object.keys(KNOWN_FAILURES[name] ?? {}).filter((entry) => !entries.has(entry)).length
    const known = new Set(ids)
    const strange = this.#file.passed[name]?.find((id) => !known.has(id))
    if (strange !== undefined) this.fail(`the file of --resume names a case that is not there: ${strange}`, name)
  }

  #takeCase(result: GroupResult, { id, failure, resumed, elapsedMs }: Extract<WorkerMessage, { kind: 'case' }>): void {
    this.#noteTime({ name: `${result.name}: ${id}`, elapsedMs })
    const expected = findKnownFailure(result.name, id)
    if (failure === null && expected === null) {
      result.passed++
      if (!resumed) this.#file.add(result.name, id)
    } else if (failure !== null && expected !== null) result.known++
    else this.fail(`${id}: ${failure ?? 'passes, so take it off known-failures.json'}`, result.name)
  }

  #noteTime(slow: SlowCase): void {
    if (slow.elapsedMs < SLOW_CASE_MS) return
    this.slowCases.push(slow)
    this.slowCases.sort((a, b) => b.elapsedMs - a.elapsedMs).splice(SLOW_CASES_SHOWN)
  }
}
