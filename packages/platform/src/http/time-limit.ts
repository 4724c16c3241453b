import type { Clock } from '@keelson/primitives'

export interface TimeLimit {
  readonly limitMs: number
  readonly clock: Clock
  readonly signals: readonly AbortSignal[]
  /** Rejects on abort even when the work ignores its signal. */
  readonly abandons?: boolean
  tooLate(): Error
}

const IN_TIME = 'the work ended in time'

/** Throws `tooLate` after the limit. */
export async function withTimeLimit<T>(
  { limitMs, clock, signals, abandons = false, tooLate }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const timer = new AbortController()
  const late = clock.sleep(limitMs, AbortSignal.any([timer.signal, ...(abandons ? signals : [])])).then(() => {
    const error = tooLate()
    over.abort(error)
    throw error
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([work(AbortSignal.any([over.signal, ...signals])), late])
  } finally {
    timer.abort(IN_TIME)
  }
}
