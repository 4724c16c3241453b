/** A signal stops the threads of a process one after another. */
import { readdir, readFile } from 'node:fs/promises'
import type { Clock } from '@keelson/primitives'

const LOOK_MS = 5
const LIMIT_MS = 2_000
/** Where the system does not show its threads. */
const USUAL_MS = 200

/** Resolves when no thread of the processes runs. */
export async function untilFrozen(pids: readonly number[], clock: Pick<Clock, 'sleep' | 'monotonicMs'>): Promise<void> {
  const { signal } = new AbortController()
  const states = await Promise.all(pids.map(threadsRun))
  if (states.includes(null)) return clock.sleep(USUAL_MS, signal)
  const untilMs = clock.monotonicMs() + LIMIT_MS
  for (let run = states; run.includes(true) && clock.monotonicMs() < untilMs; run = await Promise.all(pids.map(threadsRun)))
    await clock.sleep(LOOK_MS, signal)
}

/** proc_pid_stat(5): the state follows the name in parentheses, and T is stopped by a signal. Null without /proc. */
async function threadsRun(pid: number): Promise<boolean | null> {
  const folder = `/proc/${pid}/task`
  const threads = await readdir(folder).catch(() => null)
  if (threads === null) return null
  const states = await Promise.all(threads.map((thread) => readFile(`${folder}/${thread}/stat`, 'utf8').catch(() => null)))
  return states.some((text) => text !== null && text.slice(text.lastIndexOf(')') + 2)[0] !== 'T')
}
