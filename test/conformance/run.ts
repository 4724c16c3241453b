import { fork } from 'node:child_process'
import { join } from 'node:path'
import { ENGINE_VARIABLE } from '../support/test-engine.ts'
import { findFolderProblems } from './folder-problems.ts'
import { GROUPS } from './groups/index.ts'
import { OPINION_VARIABLE } from './opinion.ts'
import { readOptions } from './options.ts'
import { originOf } from './pass-origin.ts'
import { openPassedFile } from './passed-file.ts'
import { printResults } from './print-results.ts'
import { Tally } from './tally.ts'
import { listFiles } from './vectors/list-files.ts'
import { readManifest } from './vectors/manifest.ts'
import type { WorkerMessage, WorkerTask } from './worker.ts'

type Begin = Extract<WorkerMessage, { kind: 'begin' }>

const SLOW_MS = 60_000

function runWorker(task: WorkerTask, tally: Tally): Promise<void> {
  return new Promise((resolve) => {
    let at = null as Begin | null
    let finished = false
    let asked: Begin | null = null
    const watch = setInterval(() => {
      if (asked === at && at !== null) console.error(`${at.group}: still at ${at.id ?? 'loading'}`)
      asked = at
    }, SLOW_MS)
    const { evm, secondOpinion } = task.options
    const env = { ...process.env, [ENGINE_VARIABLE]: evm, [OPINION_VARIABLE]: secondOpinion ? '1' : '0' }
    const worker = fork(join(import.meta.dirname, 'worker.ts'), { env })
    worker.on('message', (received) => {
      const message = received as WorkerMessage
      if (message.kind === 'finished') finished = true
      else if (message.kind === 'begin') at = message
      else tally.take(message)
    })
    worker.on('exit', (code, signal) => {
      clearInterval(watch)
      if (!finished) tally.fail(`${at?.id ?? 'loading'}: the worker ended with ${signal ?? `code ${code}`}`, at?.group)
      resolve()
    })
    worker.send(task)
  })
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  const listing = listFiles(options.vectors)
  const manifest = readManifest(options.vectors)
  const file = openPassedFile(options.resume, () => originOf(options, listing.paths))
  const ran = GROUPS.map((group) => group.name).filter((name) => options.groups === null || options.groups.includes(name))
  const tally = new Tally(ran, file, (line) => console.error(line))
  const workers = Array.from({ length: options.jobs }, (_, index) =>
    runWorker({ options, slice: { index, count: options.jobs }, paths: listing.paths, passed: file.passed }, tally),
  )
  await Promise.all(workers)
  const folder = { root: options.vectors, listing, manifest }
  for (const { path, message } of findFolderProblems(folder, GROUPS, ran, tally.loaded)) tally.fail(`${path}: ${message}`)
  printResults(tally, (line) => console.log(line))
  const { results } = tally
  process.exitCode = results.every(({ failed }) => failed === 0) && results.some(({ passed }) => passed > 0) ? 0 : 1
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
