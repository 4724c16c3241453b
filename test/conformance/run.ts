/**
 * The conformance runner: cases written by others decide, a known failure is listed with its reason
 * and the list may only shrink. Workers run every nth case each; the table adds them up.
 * `npm run test:conformance -- --vectors DIR [--group G] [--grep X] [--sample N] [--jobs N] [--shard I/N] [--resume FILE]`
 */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { GROUPS } from './groups/index.ts'
import { findKnownFailure } from './known-failures.ts'
import { readOptions } from './options.ts'
import { openPassedFile, type PassedFile } from './passed-file.ts'
import type { WorkerMessage, WorkerTask } from './worker.ts'

type Begin = Extract<WorkerMessage, { kind: 'begin' }>

interface GroupResult {
  readonly name: string
  passed: number
  known: number
  failed: number
  /** Of the worker that took longest. */
  elapsedMs: number
}

/** A worker that has not moved between two looks is named: the case may never end. */
const SLOW_MS = 60_000

function fail(result: GroupResult, message: string): void {
  result.failed++
  console.error(`${result.name}: ${message}`)
}

interface SlowCase {
  readonly name: string
  readonly elapsedMs: number
}

const SLOW_CASES_SHOWN = 15
const SLOW_CASE_MS = 5_000
const slowCases: SlowCase[] = []

function noteTime(slow: SlowCase): void {
  if (slow.elapsedMs < SLOW_CASE_MS) return
  slowCases.push(slow)
  slowCases.sort((a, b) => b.elapsedMs - a.elapsedMs).splice(SLOW_CASES_SHOWN)
}

function take(result: GroupResult, message: Exclude<WorkerMessage, { kind: 'finished' }>, file: PassedFile): void {
  if (message.kind === 'end') result.elapsedMs = Math.max(result.elapsedMs, message.elapsedMs)
  if (message.kind === 'problem') fail(result, message.message)
  if (message.kind !== 'case') return
  const { id, failure } = message
  noteTime({ name: `${result.name}: ${id}`, elapsedMs: message.elapsedMs })
  const expected = findKnownFailure(result.name, id)
  if (failure === null && expected === null) {
    result.passed++
    if (!message.resumed) file.add(result.name, id)
  } else if (failure !== null && expected !== null) result.known++
  else fail(result, `${id}: ${failure ?? 'passes, so take it off known-failures.json'}`)
}

/** Resolves when the process has ended, whichever way; a crash counts as a failure of the case it was at. */
function runWorker(task: WorkerTask, results: ReadonlyMap<string, GroupResult>, file: PassedFile): Promise<void> {
  return new Promise((resolve) => {
    let at = null as Begin | null
    let finished = false
    let asked: Begin | null = null
    const watch = setInterval(() => {
      if (asked === at && at !== null) console.error(`${at.group}: still at ${at.id ?? 'loading'}`)
      asked = at
    }, SLOW_MS)
    const worker = fork(join(import.meta.dirname, 'worker.ts'))
    worker.on('message', (received) => {
      const message = received as WorkerMessage
      if (message.kind === 'finished') finished = true
      else if (message.kind === 'begin') at = message
      else take(results.get(message.group) as GroupResult, message, file)
    })
    worker.on('exit', (code, signal) => {
      clearInterval(watch)
      const result = at === null ? [...results.values()][0] : results.get(at.group)
      if (!finished && result !== undefined) fail(result, `${at?.id ?? 'loading'}: the worker ended with ${signal ?? `code ${code}`}`)
      resolve()
    })
    worker.send(task)
  })
}

function printTable(results: readonly GroupResult[]): void {
  const width = Math.max(...results.map((r) => r.name.length), 5)
  console.log(`\n${'group'.padEnd(width)}  passed  failed  known  seconds`)
  for (const r of results) {
    const cells = [
      String(r.passed).padStart(6),
      String(r.failed).padStart(6),
      String(r.known).padStart(5),
      (r.elapsedMs / 1000).toFixed(1).padStart(7),
    ]
    console.log(`${r.name.padEnd(width)}  ${cells.join('  ')}`)
  }
}

function printSlowCases(): void {
  if (slowCases.length > 0) console.log('\nslowest, in seconds')
  for (const { name, elapsedMs } of slowCases) console.log(`${(elapsedMs / 1000).toFixed(1).padStart(7)}  ${name}`)
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  const file = openPassedFile(options.resume)
  const names = GROUPS.map((group) => group.name).filter((name) => options.groups === null || options.groups.includes(name))
  const results = new Map(names.map((name) => [name, { name, passed: 0, known: 0, failed: 0, elapsedMs: 0 }]))
  const workers = Array.from({ length: options.jobs }, (_, index) =>
    runWorker({ options, slice: { index, count: options.jobs }, passed: file.passed }, results, file),
  )
  await Promise.all(workers)
  printTable([...results.values()])
  printSlowCases()
  const total = (count: (result: GroupResult) => number) => [...results.values()].reduce((sum, result) => sum + count(result), 0)
  const passed = total((result) => result.passed)
  const failed = total((result) => result.failed)
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
