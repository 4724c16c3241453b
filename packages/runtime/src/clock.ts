import type { Clock } from '@keelson/primitives'

export interface SystemClock extends Clock {
  /** Milliseconds added to the time, so that a development network resumes at its last time. */
  readonly offsetMs: number
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

export function createSystemClock(options: { readonly offsetMs?: number } = {}): SystemClock {
  const offsetMs = options.offsetMs ?? 0
  return {
    offsetMs,
    nowMs: () => Date.now() + offsetMs,
    monotonicMs: () => performance.now(),
    sleep: async (ms, signal) => {
      for (let left = ms; ; left -= LONGEST_TIMER_MS) {
        await timer(Math.max(0, Math.min(left, LONGEST_TIMER_MS)), signal)
        if (left <= LONGEST_TIMER_MS) return
      }
    },
  }
}

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(handle)
      reject(signal?.reason)
    }
    const handle = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

export interface ManualClock extends Clock {
  /** Wakes sleepers in deadline order. */
  advance(ms: number): Promise<void>
  advanceTo(nowMs: number): Promise<void>
  readonly sleepers: readonly number[]
}

interface Sleeper {
  readonly atMs: number
  readonly order: number
  wake(): void
}

export function createManualClock(startMs = 0): ManualClock {
  let nowMs = startMs
  let order = 0
  let sleepers: Sleeper[] = []
  const advanceTo = async (targetMs: number) => {
    if (targetMs < nowMs) throw new RangeError(`the manual clock is at ${nowMs} ms and cannot go back to ${targetMs} ms`)
    // Running tasks may be about to sleep.
    await settle()
    for (;;) {
      const next = sleepers.find((sleeper) => sleeper.atMs <= targetMs)
      if (next === undefined) break
      nowMs = Math.max(nowMs, next.atMs)
      next.wake()
      await settle()
    }
    nowMs = targetMs
  }
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const leave = () => {
          sleepers = sleepers.filter((other) => other !== sleeper)
          signal?.removeEventListener('abort', onAbort)
        }
        const onAbort = () => {
          leave()
          reject(signal?.reason)
        }
        const sleeper: Sleeper = {
          atMs: nowMs + Math.max(0, ms),
          order: order++,
          wake() {
            leave()
            resolve()
          },
        }
        sleepers = [...sleepers, sleeper].sort((a, b) => a.atMs - b.atMs || a.order - b.order)
        signal?.addEventListener('abort', onAbort, { once: true })
      }),
    advance: (ms) => advanceTo(nowMs + ms),
    advanceTo,
    get sleepers() {
      return sleepers.map((sleeper) => sleeper.atMs)
    },
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
