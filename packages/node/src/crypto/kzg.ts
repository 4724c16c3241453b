import type { Worker } from 'node:worker_threads'
import type { Kzg, SyncKzgVerifier } from '@keelson/primitives'
import { AssemblyError } from '../errors.ts'
import { startThread } from '../start-thread.ts'
import { type KzgRequest, type KzgResponse, POINT_FAILED, POINT_VALID } from './kzg-protocol.ts'

/** Includes the time to start the worker. */
const POINT_TIMEOUT_MS = 60_000
const PROOF_BYTES = 48
const CLOSE_PATIENCE_MS = 500

type Pending = { readonly resolve: (result: Uint8Array | boolean) => void; readonly reject: (error: Error) => void }
type Call<T> = T extends KzgRequest ? Omit<T, 'id'> : never

export type KzgThread = Pick<Worker, 'on' | 'postMessage' | 'ref' | 'unref' | 'terminate'>

export interface KzgService extends Kzg, SyncKzgVerifier {
  cellProofs(blob: Uint8Array): Promise<readonly Uint8Array[]>
  close(): Promise<void>
}

const ENTRY = { bundled: 'kzg-worker.js', source: new URL('./kzg-worker.ts', import.meta.url) }

export function createKzg(start: () => KzgThread = () => startThread(ENTRY)): KzgService {
  const pending = new Map<number, Pending>()
  let worker: KzgThread | null = null
  let nextId = 0

  function failAll(error: Error): void {
    worker = null
    for (const { reject } of pending.values())
      reject(new AssemblyError('node/kzg', `KZG worker failed: ${error.message}`, {}, { cause: error }))
    pending.clear()
  }

  function running(): KzgThread {
    if (worker !== null) return worker
    const started = start()
    started.unref()
    started.on('message', (response: KzgResponse) => {
      const call = pending.get(response.id)
      pending.delete(response.id)
      if (pending.size === 0) started.unref()
      if ('failure' in response) call?.reject(new AssemblyError('node/kzg', response.failure))
      else call?.resolve(response.result)
    })
    started.on('error', failAll)
    worker = started
    return started
  }

  function ask<T extends Uint8Array | boolean>(request: Call<Exclude<KzgRequest, { op: 'verify-point' }>>): Promise<T> {
    const id = nextId++
    const target = running()
    target.ref()
    return new Promise<T>((resolve, reject) => {
      pending.set(id, { resolve: resolve as Pending['resolve'], reject })
      target.postMessage({ ...withOwnBuffers(request), id })
    })
  }

  return {
    blobToCommitment: (blob) => ask<Uint8Array>({ op: 'commit', blob }),
    blobProof: (blob, commitment) => ask<Uint8Array>({ op: 'prove', blob, commitment }),
    async cellProofs(blob) {
      const joined = await ask<Uint8Array>({ op: 'prove-cells', blob })
      return Array.from({ length: joined.length / PROOF_BYTES }, (_, i) => joined.slice(i * PROOF_BYTES, (i + 1) * PROOF_BYTES))
    },
    verifyBlobProof: (blob, commitment, proof) => ask<boolean>({ op: 'verify-blob', blob, commitment, proof }),
    verifyProof(commitment, z, y, proof) {
      const answer = new SharedArrayBuffer(4)
      const flag = new Int32Array(answer)
      const point = withOwnBuffers({ commitment, z, y, proof })
      running().postMessage({ op: 'verify-point', answer, ...point } satisfies KzgRequest)
      const outcome = Atomics.wait(flag, 0, 0, POINT_TIMEOUT_MS)
      const verdict = Atomics.load(flag, 0)
      if (outcome === 'timed-out' || verdict === POINT_FAILED) {
        throw new AssemblyError('node/kzg', `the KZG worker gave no answer within ${POINT_TIMEOUT_MS} ms`)
      }
      return verdict === POINT_VALID
    },
    async close() {
      const closing = worker
      worker = null
      if (closing === null) return
      // A thread that is loading the setup cannot stop; the process need not wait for it.
      closing.unref()
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, CLOSE_PATIENCE_MS)
      })
      await Promise.race([closing.terminate(), patience])
      clearTimeout(timer)
    },
  }
}

/**
 * A message copies the whole buffer behind each view. The inputs of a precompile are views of the memory of the EVM, which has
 * hundreds of megabytes.
 */
function withOwnBuffers<T extends object>(message: T): T {
  const owned = Object.entries(message).map(([name, value]) => [name, value instanceof Uint8Array ? ownBuffer(value) : value])
  return Object.fromEntries(owned) as T
}

const ownBuffer = (view: Uint8Array) => (view.length === view.buffer.byteLength ? view : view.slice())
