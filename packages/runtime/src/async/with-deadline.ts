import { type Clock, NodeError, type Severity } from '@keelson/primitives'

export class DeadlineError extends NodeError<'runtime/deadline'> {
  readonly severity: Severity = 'temporary'
}

export interface Deadline<L = never> {
  readonly clock: Pick<Clock, 'sleep'>
  readonly ms: number
  /** The call rejects with the reason of this signal. */
  readonly signal?: AbortSignal
  readonly what?: string
  /** Gives the result when the deadline is missed, or throws. Default: throws a DeadlineError. */
  readonly onTimeout?: () => L
}

/** A given reason spares the stack trace of the default one. */
const WORK_OVER = 'the work is over'

/** At the deadline the call's signal aborts, and a later result or error is dropped. */
export async function withDeadline<T, L = never>(
  work: Promise<T> | ((signal: AbortSignal) => Promise<T>),
  { clock, ms, signal, what = 'the operation', onTimeout }: Deadline<L>,
): Promise<T | L> {
  const over = new AbortController()
  const timer = new AbortController()
  const late = async (): Promise<L> => {
    await clock.sleep(ms, signal === undefined ? timer.signal : AbortSignal.any([timer.signal, signal]))
    const error = new DeadlineError('runtime/deadline', `${what} did not finish within ${ms} ms`, { ms })
    over.abort(error)
    if (onTimeout === undefined) throw error
    return onTimeout()
  }
  const timeout = late()
  timeout.catch(() => undefined)
  try {
    const running = typeof work === 'function' ? startWork(work, over.signal, signal) : work
    const result = await Promise.race([running, timeout])
    return over.signal.aborted ? await timeout : result
  } catch (error) {
    // After the deadline, an error of the aborted work must not replace the timeout's result.
    if (over.signal.aborted) return await timeout
    throw error
  } finally {
    timer.abort(WORK_OVER)
  }
}

function startWork<T>(work: (signal: AbortSignal) => Promise<T>, over: AbortSignal, outer: AbortSignal | undefined): Promise<T> {
  outer?.throwIfAborted()
  return work(outer === undefined ? over : AbortSignal.any([over, outer]))
}
