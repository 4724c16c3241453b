import type { Clock, Logger } from '@keelson/primitives'
import type { Driver } from './driver/driver.ts'
import type { L1Watcher } from './l1/l1-watcher.ts'
import type { L1News } from './ports.ts'

export interface DriverLoopDependencies {
  readonly driver: Driver
  readonly l1Watcher: L1Watcher
  readonly clock: Clock
  readonly log: Logger
  readonly pollIntervalMs: number
  readonly l1News: L1News | null
}

export interface DriverLoop {
  start(): void
  stop(): Promise<void>
  readonly failure: Promise<never>
}

const LONGEST_WAIT_MS = 1_000
/** A given reason spares the stack trace of the default one. */
const WAIT_OVER = 'the wait is over'
/** Polls also while L1 announces its heads, because a subscription may stop silently. */
const INTERVALS_WITH_NEWS = 12

export function createDriverLoop({ driver, l1Watcher, clock, log, pollIntervalMs, l1News }: DriverLoopDependencies): DriverLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  let headTold = false
  let lookNow = new AbortController()
  let timer = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  let fail: (error: unknown) => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  failure.catch(() => undefined)

  async function watch(): Promise<void> {
    l1News?.onHead(() => {
      headTold = true
      lookNow.abort()
    })
    while (!signal.aborted) {
      headTold = false
      const well = await l1Watcher.step()
      lookNow = new AbortController()
      // the poll may have missed an announced head
      if (headTold) continue
      const waitMs = pollIntervalMs * (well && l1News?.live === true ? INTERVALS_WITH_NEWS : 1)
      await clock.sleep(waitMs, AbortSignal.any([signal, lookNow.signal])).catch(() => undefined)
    }
  }

  async function drive(): Promise<void> {
    while (!signal.aborted) {
      if (await driver.step()) continue
      await waitForWork()
    }
  }

  async function waitForWork(): Promise<void> {
    if (signal.aborted) return
    const dueMs = driver.nextDueMs()
    const waitMs = Math.min(dueMs === null ? LONGEST_WAIT_MS : Math.max(0, dueMs - clock.nowMs()), LONGEST_WAIT_MS)
    timer = new AbortController()
    const alarm = clock.sleep(waitMs, timer.signal).catch(() => undefined)
    await Promise.race([driver.waitForWork(), alarm])
    timer.abort(WAIT_OVER)
  }

  return {
    failure,
    start() {
      running = Promise.all([
        watch(),
        drive().catch((error: unknown) => {
          log.error('the consensus client stops', { error })
          fail(error)
        }),
      ])
    },
    async stop() {
      stopping.abort()
      timer.abort(WAIT_OVER)
      driver.wake()
      await running
    },
  }
}
