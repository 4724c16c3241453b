import type { Worker } from 'node:worker_threads'
import type { Verdict } from '@keelson/second-opinion'
import { startThread } from '../start-thread.ts'

export interface OpinionWorkerData {
  readonly network: string
  readonly allowSameChainId: boolean
  /** Newer than those of the network's files. */
  readonly forkTimes: Readonly<Record<string, number>>
}

export interface OpinionRequest {
  /** RLP of the block. */
  readonly block: Uint8Array
  /** JSON of debug_executionWitness. */
  readonly witness: string
}

export type OpinionResponse = { readonly verdict: Verdict } | { readonly failure: string }

export interface OpinionThread {
  /** One call at a time. Rejects when the thread fails. */
  judge(request: OpinionRequest): Promise<Verdict>
  close(): Promise<void>
}

const ENTRY = { bundled: 'opinion-worker.js', source: new URL('./opinion-worker.ts', import.meta.url) }

/** Starts its worker at the first call and after a failure. */
export function createOpinionThread(data: OpinionWorkerData): OpinionThread {
  let worker: Worker | null = null
  return {
    judge(request) {
      const thread = worker ?? startThread(ENTRY, { workerData: data })
      worker = thread
      thread.unref()
      return new Promise((resolve, reject) => {
        const fail = (error: Error) => {
          worker = null
          reject(error)
        }
        thread.removeAllListeners()
        thread.once('error', fail)
        thread.once('exit', (code) => fail(new Error(`the worker thread ended with code ${code}`)))
        thread.once('message', (response: OpinionResponse) => {
          if ('verdict' in response) resolve(response.verdict)
          else reject(new Error(response.failure))
        })
        thread.postMessage(request)
      })
    },
    async close() {
      const ending = worker
      worker = null
      ending?.removeAllListeners()
      await ending?.terminate()
    },
  }
}
