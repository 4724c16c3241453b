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

/** Waits while the number that `read` returns grows, such as a block number; fails when it stays the same for `eventually`'s deadline. */
export async function growsTo(what: string, target: number, read: () => Promise<number>): Promise<void> {
  for (let reached = -1; reached < target; ) {
    const before = reached
    await eventually(`${what} above ${before}, on the way to ${target},`, async () => {
      reached = await read()
      return reached > before
    })
  }
}
