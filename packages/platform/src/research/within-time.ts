/** Work of one source within its time, whether or not it heeds its signal. */
import type { Clock } from '@keelson/primitives'
import { SourceError } from '../market/source-error.ts'

/** Throws SourceError `timeout` when the time is over, the reason of `signal` when that aborts, and what the work throws. */
export async function withinTime<T>(
  limitMs: number,
  source: string,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const over = new AbortController()
  const timer = new AbortController()
  const late = clock.sleep(limitMs, AbortSignal.any([timer.signal, signal])).then(() => {
    const error = new SourceError(source, 'timeout', `no answer within ${limitMs / 1000} s`)
    over.abort(error)
    throw error
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([work(AbortSignal.any([over.signal, signal])), late])
  } finally {
    timer.abort()
  }
}
