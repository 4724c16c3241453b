/** Bounds the work of a source, also when it ignores its signal. */
import type { Clock } from '@keelson/primitives'
import { SourceError } from '../market/source-error.ts'

/** Throws SourceError `timeout` after the deadline, the reason of `signal` on abort, and the errors of the work. */
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
