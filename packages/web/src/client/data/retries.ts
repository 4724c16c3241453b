import { pause } from './browser-clock.ts'
import { Refusal } from './get-json.ts'

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
const MAX_ATTEMPTS = 8

/**
 * Loads again, with growing pauses, after failures for want of time or of a service; `onTrouble` gets each of them.
 * Throws the last failure.
 */
export async function withRetries<T>(
  load: () => Promise<T>,
  signal: AbortSignal,
  onTrouble: (error: Error) => void = () => undefined,
): Promise<T> {
  for (let count = 0; ; count++) {
    try {
      return await load()
    } catch (error) {
      if (signal.aborted || !(error instanceof Error) || !isPassing(error) || count === MAX_ATTEMPTS) throw error
      onTrouble(error)
      await pause(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** count))
      if (signal.aborted) throw error
    }
  }
}

/** Reports whether the same request may succeed later: refusals of the request itself stay. */
function isPassing(error: Error): boolean {
  if (!(error instanceof Refusal)) return true
  return error.status < 400 || error.status === 429 || error.status >= 500
}
