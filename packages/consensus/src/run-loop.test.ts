import assert from 'node:assert/strict'
import { createManualClock, createSilentLogger, type ManualClock } from '@keelson/runtime'
import type { Driver } from './driver/driver.ts'
import { createDriverLoop, type DriverLoop } from './run-loop.ts'

const INTERVAL_MS = 1_000

describe('polling L1', () => {
  let clock: ManualClock
  let loop: DriverLoop
  let looks: number[]
  let live: boolean
  let well: boolean
  let tellHead: () => void

  const idle = {
    step: async () => false,
    nextDueMs: () => null,
    waitForWork: () => new Promise<void>(() => undefined),
    wake: () => undefined,
  } as unknown as Driver
  const start = (news: boolean) => {
    clock = createManualClock()
    looks = []
    live = true
    well = true
    loop = createDriverLoop({
      driver: idle,
      l1Watcher: {
        step: async () => {
          looks.push(clock.nowMs())
          return well
        },
      },
      clock,
      log: createSilentLogger(),
      pollIntervalMs: INTERVAL_MS,
      l1News: news
        ? {
            get live() {
              return live
            },
            onHead: (callback) => {
              tellHead = callback
            },
          }
        : null,
    })
    loop.start()
  }
  afterEach(() => loop.stop())

  it('uses the interval without a subscription', async () => {
    start(false)
    await clock.advance(3_500)
    assert.deepEqual(looks, [0, 1_000, 2_000, 3_000])
  })

  it('waits for L1 to announce a head, and still polls at times', async () => {
    start(true)
    await clock.advance(5_200)
    tellHead()
    await clock.advance(0)
    assert.deepEqual(looks, [0, 5_200])
    await clock.advance(12_000)
    assert.deepEqual(looks, [0, 5_200, 17_200])
  })

  it('uses the interval while the WebSocket is down or L1 does not answer', async () => {
    start(true)
    await clock.advance(0)
    live = false
    tellHead()
    await clock.advance(2_500)
    assert.deepEqual(looks, [0, 0, 1_000, 2_000])
    live = true
    well = false
    await clock.advance(2_000)
    assert.deepEqual(looks.slice(4), [3_000, 4_000])
  })
})
