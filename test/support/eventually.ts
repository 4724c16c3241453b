/** Waiting for other processes: polls a condition until it holds or the time is over, and says what was last seen. */
import { AssertionError } from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'

const INTERVAL_MS = 100

/** Factor for every wait, for machines that are slow or busy. */
export function patience(): number {
  return Number(process.env.KEELSON_TEST_PATIENCE ?? 1)
}

/** Resolves with the first value that is neither null, undefined nor false. */
export async function eventually<T>(what: string, timeoutMs: number, probe: () => Promise<T | null | undefined | false>): Promise<T> {
  const limitMs = timeoutMs * patience()
  const deadline = performance.now() + limitMs
  let last: unknown
  while (performance.now() < deadline) {
    try {
      const value = await probe()
      if (value !== null && value !== undefined && value !== false) return value
      last = value
    } catch (error) {
      last = error
    }
    await delay(INTERVAL_MS)
  }
  throw new AssertionError({
    message: `${what} did not happen within ${limitMs / 1000} s; last seen: ${last instanceof Error ? last.message : String(last)}`,
  })
}
