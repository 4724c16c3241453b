import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { DEFAULT_BATCHER_OPTIONS } from '../../../test/support/default-batcher-options.ts'
import { createRecordingLogger } from '../../../test/support/recording-logger.ts'
import { createThrottle } from './throttle.ts'
import type { ThrottleState } from './throttle-limits.ts'

function open(own: Partial<typeof DEFAULT_BATCHER_OPTIONS> = {}) {
  const told: (readonly [number | null, number | null])[] = []
  const seen: (readonly [number, number])[] = []
  const clock = createManualClock(0)
  const log = createRecordingLogger()
  const node = { down: false }
  const limits = {
    async setMaxDaSize(transactionBytes: number | null, blockBytes: number | null) {
      if (node.down) throw new Error('the method miner_setMaxDASize does not exist')
      told.push([transactionBytes, blockBytes])
    },
  }
  const options = {
    ...DEFAULT_BATCHER_OPTIONS,
    throttleController: 'step' as const,
    throttleLowerThresholdBytes: 1_000,
    throttleUpperThresholdBytes: 3_000,
    throttleTransactionLowerBytes: 50,
    throttleTransactionUpperBytes: 450,
    throttleBlockLowerBytes: 200,
    throttleBlockUpperBytes: 900,
    ...own,
  }
  const metrics = { throttle: ({ backlogBytes, intensity }: ThrottleState) => void seen.push([backlogBytes, intensity]) }
  return { throttle: createThrottle(options, { limits, clock, log, metrics }), told, seen, clock, log, node }
}

describe('batcher throttle', () => {
  it('requests small blocks above the threshold, and normal ones at it', async () => {
    const { throttle, told, seen, log } = open()
    await throttle.update(1_000)
    await throttle.update(1_001)
    await throttle.update(5_000)
    await throttle.update(10)
    assert.deepEqual(told, [
      [null, 900],
      [50, 200],
      [null, 900],
    ])
    assert.deepEqual(seen[2], [5_000, 1])
    assert.deepEqual(
      log.lines.map(({ level }) => level),
      ['warn', 'info'],
    )
  })

  it('lifts every limit when there is no permanent one', async () => {
    const { throttle, told } = open({ throttleBlockUpperBytes: 0 })
    await throttle.update(2_000)
    await throttle.update(0)
    assert.deepEqual(told, [
      [50, 200],
      [null, null],
    ])
  })

  it('never applies a limit without a lower bound', async () => {
    const { throttle, told } = open({ throttleTransactionLowerBytes: 0, throttleBlockLowerBytes: 0 })
    await throttle.update(2_000)
    assert.deepEqual(told, [[null, 900]])
  })

  it('tightens between the thresholds, in proportion or by the square', async () => {
    const { throttle, told } = open({ throttleController: 'linear' })
    for (const backlog of [1_000, 1_001, 2_000, 3_000, 9_000]) await throttle.update(backlog)
    assert.deepEqual(told, [
      [null, 900],
      [450, 900],
      [250, 550],
      [50, 200],
    ])
    throttle.controller = 'quadratic'
    await throttle.update(2_000)
    assert.deepEqual(told[4], [350, 725])
    assert.deepEqual(throttle.state, { backlogBytes: 2_000, intensity: 0.25, transactionBytes: 350, blockBytes: 725 })
  })

  it('repeats the limits for an execution client that restarted', async () => {
    const { throttle, told, clock } = open()
    await throttle.update(2_000)
    await clock.advance(14_999)
    await throttle.update(2_000)
    assert.equal(told.length, 1)
    await clock.advance(1)
    await throttle.update(2_000)
    assert.deepEqual(told[1], [50, 200])
  })

  it('continues without the sequencer, logs it once, and retries', async () => {
    const { throttle, told, log, node } = open()
    node.down = true
    await throttle.update(2_000)
    await throttle.update(2_000)
    assert.equal(log.matching('rejects block limits').length, 1)
    node.down = false
    await throttle.update(2_000)
    assert.deepEqual(told, [[50, 200]])
    assert.equal(log.matching('accepts block limits again').length, 1)
  })

  it('makes no request when the threshold is zero', async () => {
    const { throttle, told, seen } = open({ throttleLowerThresholdBytes: 0 })
    await throttle.update(1e9)
    assert.deepEqual(told, [])
    assert.deepEqual(seen, [[1e9, 0]])
  })
})
