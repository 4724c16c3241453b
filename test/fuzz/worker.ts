/** The parent reads the current case from shared memory when the thread hangs. */
import { parentPort, workerData } from 'node:worker_threads'
import { bytesToHex } from '@keelson/primitives'
import fc, { type RunDetails } from 'fast-check'
import type { FuzzSubject } from './subject.ts'
import { SUBJECTS } from './subjects/index.ts'

export interface Piece {
  readonly subject: string
  readonly seed: number
  readonly cases: number
}

export interface PieceResult {
  readonly piece: Piece
  readonly cases: number
  readonly elapsedMs: number
  readonly failure: string | null
}

const MAX_FAILURE_CHARACTERS = 4_000
const MAX_SHRINKS = 500

async function runPiece(piece: Piece, progress: Int32Array): Promise<PieceResult> {
  const subject = SUBJECTS.find(({ name }) => name === piece.subject) as FuzzSubject
  const began = performance.now()
  const run = await subject.open()
  let cases = 0
  let afterFailure = 0
  const property = fc.asyncProperty(run.arbitrary, async (value) => {
    Atomics.store(progress, 0, ++cases)
    if (afterFailure > 0 && ++afterFailure > MAX_SHRINKS) return
    try {
      const pending = run.check(value)
      if (pending !== undefined) await pending
    } catch (error) {
      afterFailure ||= 1
      throw error
    }
  })
  const details = await fc.check(property, { seed: piece.seed, numRuns: piece.cases })
  await run.close?.()
  const elapsedMs = performance.now() - began
  return { piece, cases: details.numRuns, elapsedMs, failure: details.failed ? describeFailure(details) : null }
}

function describeFailure({
  counterexample,
  errorInstance,
  numRuns,
}: Pick<RunDetails<unknown>, 'counterexample' | 'errorInstance' | 'numRuns'>): string {
  const error = errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance)
  const text = `case ${numRuns}: ${showCase(counterexample)}`
  return `${error.slice(0, MAX_FAILURE_CHARACTERS)}\n${text.slice(0, MAX_FAILURE_CHARACTERS)}`
}

function showCase(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (part instanceof Uint8Array) return bytesToHex(part)
    return typeof part === 'bigint' ? `${part}n` : part
  })
}

const progress = new Int32Array(workerData as SharedArrayBuffer)
const port = parentPort
if (port === null) throw new Error('the fuzz worker cannot run by itself; use npm run fuzz')
port.on('message', (piece: Piece) => {
  Atomics.store(progress, 0, 0)
  runPiece(piece, progress).then(
    (result) => port.postMessage(result),
    (error: unknown) => {
      const failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
      port.postMessage({ piece, cases: Atomics.load(progress, 0), elapsedMs: 0, failure } satisfies PieceResult)
    },
  )
})
