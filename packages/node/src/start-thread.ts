/** Starts a worker thread from the bundle, or from source with tsx. */
import { existsSync } from 'node:fs'
import { Worker, type WorkerOptions } from 'node:worker_threads'

export interface ThreadEntry {
  /** File name in the bundle's folder. */
  readonly bundled: string
  readonly source: URL
}

export function startThread(entry: ThreadEntry, options: Pick<WorkerOptions, 'workerData' | 'resourceLimits'> = {}): Worker {
  const bundled = new URL(`./${entry.bundled}`, import.meta.url)
  if (existsSync(bundled)) return new Worker(bundled, options)
  const source = JSON.stringify(entry.source.href)
  return new Worker(`import('tsx/esm/api').then(({ register }) => (register(), import(${source})))`, { ...options, eval: true })
}
