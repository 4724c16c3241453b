import { AssertionError } from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'

const INTERVAL_MS = 100
/** Leaves room for slow machines; only failures wait this long. */
export const DEADLINE_MS = 120_000

export function patience(): number {
  return Number(process.env.KEELSON_TEST_PATIENCE ?? 1)
}

export async function eventually<T>(what: string, probe: () => Promise<T | null | undefined | false>, expectedMs = 0): Promise<T> {
  const limitMs = Math.max(DEADLINE_MS, expectedMs) * patience()
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
