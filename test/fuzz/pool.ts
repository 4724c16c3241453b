/** A thread that hangs or exits fails its current piece and is replaced. */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Piece, PieceResult } from './worker.ts'

const WATCH_MS = 250
const OPEN_LIMIT_MS = 240_000

export interface PieceSource {
  next(): { readonly piece: Piece; readonly caseLimitMs: number } | null
  done(result: PieceResult): void
}

export async function runPieces(source: PieceSource, jobs: number): Promise<void> {
  await Promise.all(Array.from({ length: jobs }, () => runThread(source)))
}

async function runThread(source: PieceSource): Promise<void> {
  let thread = openThread()
  for (let task = source.next(); task !== null; task = source.next()) {
    const result = await thread.run(task.piece, task.caseLimitMs)
    source.done(result)
    if (thread.alive()) continue
    thread = openThread()
  }
  await thread.close()
}

function openThread() {
  const shared = new SharedArrayBuffer(4)
  const progress = new Int32Array(shared)
  const worker = new Worker(join(import.meta.dirname, 'worker-boot.mjs'), { workerData: shared })
  let alive = true
  let settle: ((failure: string | PieceResult) => void) | null = null
  const die = (failure: string) => {
    alive = false
    settle?.(failure)
  }
  worker.on('message', (result: PieceResult) => settle?.(result))
  worker.on('error', (error) => die(`the thread exited: ${error.stack ?? error.message}`))
  worker.on('exit', (code) => die(`the thread exited with code ${code}`))
  // Only a pending piece keeps the process alive.
  worker.unref()

  return {
    alive: () => alive,
    async close() {
      alive = false
      await worker.terminate()
    },
    async run(piece: Piece, caseLimitMs: number): Promise<PieceResult> {
      const began = performance.now()
      let seen = -1
      let sinceMs = began
      const watch = setInterval(() => {
        const at = Atomics.load(progress, 0)
        if (at !== seen) {
          seen = at
          sinceMs = performance.now()
          return
        }
        const limitMs = at === 0 ? OPEN_LIMIT_MS : caseLimitMs
        if (performance.now() - sinceMs > limitMs) {
          die(at === 0 ? `opening took more than ${limitMs} ms` : `case ${at} hangs: not finished after ${limitMs} ms`)
          worker.terminate()
        }
      }, WATCH_MS)
      worker.postMessage(piece)
      const outcome = await new Promise<string | PieceResult>((resolve) => {
        settle = resolve
        if (!alive) resolve('the thread had exited')
      })
      settle = null
      clearInterval(watch)
      if (typeof outcome !== 'string') return outcome
      const cases = Atomics.load(progress, 0)
      return { piece, cases, elapsedMs: performance.now() - began, failure: `at case ${cases}: ${outcome}` }
    },
  }
}
