import type { ConformanceCase, ConformanceGroup } from './group.ts'
import { GROUPS } from './groups/index.ts'
import type { Part, RunOptions } from './options.ts'
import { unlistedNames } from './refusals.ts'
import { selectCases } from './select-cases.ts'
import { type LeftOut, VectorFolder } from './vectors/vector-folder.ts'

export interface WorkerTask {
  readonly options: RunOptions
  readonly slice: Part
  readonly paths: readonly string[]
  readonly passed: Readonly<Record<string, readonly string[]>>
}

interface CaseMessage {
  readonly kind: 'case'
  readonly group: string
  readonly id: string
  readonly failure: string | null
  readonly resumed: boolean
  readonly elapsedMs: number
}

export interface LoadedMessage {
  readonly kind: 'loaded'
  readonly group: string
  readonly ids: readonly string[]
  readonly taken: readonly string[]
  readonly leftOut: readonly LeftOut[]
}

export type WorkerMessage =
  | { readonly kind: 'begin'; readonly group: string; readonly id: string | null }
  | CaseMessage
  | LoadedMessage
  | { readonly kind: 'problem'; readonly group: string; readonly message: string }
  | { readonly kind: 'end'; readonly group: string; readonly elapsedMs: number; readonly unlistedNames: readonly string[] }
  | { readonly kind: 'finished' }

const MAX_FAILURE_CHARACTERS = 2000

/** Resolves when the message is sent; a busy process sends nothing. */
function send(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()))
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_FAILURE_CHARACTERS)
}

async function failureOf(test: ConformanceCase): Promise<string | null> {
  try {
    await test.run()
    return null
  } catch (error) {
    return messageOf(error)
  }
}

async function sendLoaded(group: string, all: readonly ConformanceCase[], folder: VectorFolder): Promise<void> {
  const ids = all.map((test) => test.id)
  for (const { path, message } of folder.problems) await send({ kind: 'problem', group, message: `${path}: ${message}` })
  const repeated = ids.length - new Set(ids).size
  if (repeated > 0) await send({ kind: 'problem', group, message: `${repeated} cases have the name of another` })
  await send({ kind: 'loaded', group, ids, taken: folder.taken, leftOut: folder.leftOut })
}

async function runGroup(group: ConformanceGroup, { options, paths, passed }: WorkerTask, slice: Part): Promise<void> {
  const { name } = group
  const started = performance.now()
  await send({ kind: 'begin', group: name, id: null })
  const folder = new VectorFolder(options.vectors, paths)
  const all = await group.load(folder)
  if (slice.index === 0) await sendLoaded(name, all, folder)
  const done = new Set(passed[name] ?? [])
  for (const test of selectCases(all, options, slice)) {
    const resumed = done.has(test.id)
    if (!resumed) await send({ kind: 'begin', group: name, id: test.id })
    const began = performance.now()
    const failure = resumed ? null : await failureOf(test)
    await send({ kind: 'case', group: name, id: test.id, failure, resumed, elapsedMs: performance.now() - began })
  }
  await send({ kind: 'end', group: name, elapsedMs: performance.now() - started, unlistedNames: unlistedNames() })
}

function sliceOf(group: ConformanceGroup, slice: Part): Part | null {
  if (group.undivided !== true) return slice
  return GROUPS.indexOf(group) % slice.count === slice.index ? { index: 0, count: 1 } : null
}

async function runTask(task: WorkerTask): Promise<void> {
  const { groups } = task.options
  for (const group of GROUPS) {
    const slice = sliceOf(group, task.slice)
    if (slice === null || (groups !== null && !groups.includes(group.name))) continue
    await runGroup(group, task, slice).catch((error: unknown) =>
      send({ kind: 'problem', group: group.name, message: `could not load: ${messageOf(error)}` }),
    )
  }
  await send({ kind: 'finished' })
  process.exit(0)
}

process.once('message', (task) => void runTask(task as WorkerTask))
