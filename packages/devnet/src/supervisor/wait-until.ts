import { type Clock, messageOf } from '@keelson/primitives'
import { DevnetError } from '../devnet-error.ts'

export interface WaitOptions {
  readonly what: string
  readonly timeoutMs: number
  readonly intervalMs: number
  readonly hint?: () => string
  readonly signal?: AbortSignal
}

/** Failures of `probe` count as null. Throws DevnetError `node/devnet` after the timeout. */
export async function waitUntil<T>(probe: () => Promise<T | null>, clock: Clock, options: WaitOptions): Promise<T> {
  const deadlineMs = clock.nowMs() + options.timeoutMs
  let lastFailure = ''
  while (clock.nowMs() < deadlineMs) {
    options.signal?.throwIfAborted()
    const value = await probe().catch((error: unknown) => {
      lastFailure = messageOf(error)
      return null
    })
    if (value !== null) return value
    await clock.sleep(options.intervalMs, options.signal)
  }
  const details = [lastFailure, options.hint?.() ?? ''].filter((part) => part !== '').join('; ')
  throw new DevnetError(
    'node/devnet',
    `${options.what} did not happen within ${options.timeoutMs / 1000} s${details === '' ? '' : `: ${details}`}`,
  )
}
