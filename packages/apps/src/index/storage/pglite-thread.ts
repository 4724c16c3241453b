/** PGlite in a worker thread, because its queries block the thread that runs them. */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { SqlValue } from './database.ts'

export interface PgliteThread {
  query(text: string, params: readonly SqlValue[]): Promise<readonly unknown[]>
  close(): Promise<void>
}

interface Answer {
  readonly id: number
  readonly rows?: readonly unknown[]
  readonly error?: { readonly message: string; readonly code?: string }
}

/** Text, because a bundle has no file for it. A query without text closes the database. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads')
const { PGlite } = require(workerData.entry)
const opening = PGlite.create(workerData.directory)
opening.then(() => parentPort.postMessage({ id: 0, rows: [] }))
parentPort.on('message', async ({ id, text, params }) => {
  try {
    const database = await opening
    const rows = text === null ? (await database.close(), []) : (await database.query(text, params)).rows
    parentPort.postMessage({ id, rows })
    if (text === null) parentPort.close()
  } catch (error) {
    parentPort.postMessage({ id, error: { message: error.message, code: error.code } })
  }
})
`

interface Waiting {
  resolve(rows: readonly unknown[]): void
  reject(error: Error): void
}

/** `memory://` as the directory keeps nothing on disk. */
export async function startPgliteThread(directory: string): Promise<PgliteThread> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const worker = new Worker(THREAD, { eval: true, workerData: { entry, directory } })
  const waiting = new Map<number, Waiting>()
  let nextId = 1
  let ended: Error | null = null
  const end = (error: Error) => {
    ended ??= error
    for (const { reject } of waiting.values()) reject(ended)
    waiting.clear()
  }
  worker.on('error', end)
  worker.on('exit', () => end(new Error('the embedded database is closed')))
  worker.on('message', ({ id, rows, error }: Answer) => {
    const waiter = waiting.get(id)
    waiting.delete(id)
    if (rows !== undefined) waiter?.resolve(rows)
    else waiter?.reject(Object.assign(new Error(error?.message), { code: error?.code }))
  })
  const answerTo = (id: number) => new Promise<readonly unknown[]>((resolve, reject) => waiting.set(id, { resolve, reject }))
  const ask = (text: string | null, params: readonly SqlValue[]) => {
    if (ended !== null) return Promise.reject(ended)
    const id = nextId++
    const answer = answerTo(id)
    worker.postMessage({ id, text, params })
    return answer
  }
  await answerTo(0)
  return {
    query: ask,
    async close() {
      if (ended !== null) return
      const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      await ask(null, [])
      await exited
    },
  }
}
