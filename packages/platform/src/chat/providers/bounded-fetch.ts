/** fetch for a model's service with limits of time and size. Redirects are refused, so the key reaches one host only. */
import type { Clock } from '@keelson/primitives'
import { SourceError } from '../../market/source-error.ts'

/** Deadline in milliseconds for the start of an answer and for each further piece: the longest silence of a stream. */
export const MODEL_SILENCE_MS = 300_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

export function createBoundedFetch(label: string, clock: Clock, maxBytes = MAX_ANSWER_BYTES): typeof fetch {
  return async (input, init) => {
    const over = new AbortController()
    const inTime = <T>(work: Promise<T>) => withinSilence(work, label, clock, over)
    const signal = init?.signal == null ? over.signal : AbortSignal.any([init.signal, over.signal])
    const response = await inTime(fetch(input, { ...init, signal, redirect: 'manual' }))
    if (response.body === null) return response
    const reader = response.body.getReader()
    let bytes = 0
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await inTime(reader.read())
        if (done) return controller.close()
        bytes += value.length
        if (bytes > maxBytes) {
          over.abort()
          throw new SourceError(label, 'too-large', `its answer is larger than ${maxBytes} bytes`)
        }
        controller.enqueue(value)
      },
      async cancel(reason) {
        over.abort(reason)
      },
    })
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

async function withinSilence<T>(work: Promise<T>, label: string, clock: Clock, over: AbortController): Promise<T> {
  const timer = new AbortController()
  const late = clock.sleep(MODEL_SILENCE_MS, timer.signal).then(() => {
    const error = new SourceError(label, 'timeout', `nothing came for ${MODEL_SILENCE_MS / 1000} s`)
    over.abort(error)
    throw error
  })
  try {
    return await Promise.race([work, late])
  } finally {
    timer.abort()
    // after the deadline the signal ends the work
    work.catch(() => undefined)
  }
}
