import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { createRecordingLogger } from '../../../test/support/recording-logger.ts'
import { DEFAULT_BATCHER_OPTIONS } from './options.ts'
import { createThrottle } from './throttle.ts'

function open(own: Partial<typeof DEFAULT_BATCHER_OPTIONS> = {}) {
  const told: (readonly [number | null, number | null])[] = []
  const seen: (readonly [number, boolean])[] = []
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
    throttleThresholdBytes: 1_000,
    throttleTransactionBytes: 50,
    throttleBlockBytes: 200,
    throttleAlwaysBlockBytes: 900,
    ...own,
  }
  const metrics = { backlog: (bytes: number, throttled: boolean) => void seen.push([bytes, throttled]) }
  return { throttle: createThrottle(options, { limits, clock, log, metrics }), told, seen, clock, log, node }
}

describe('batcher throttle', () => {
  it('asks for small blocks above the threshold, and for the usual ones at it', async () => {
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
    assert.deepEqual(seen[2], [5_000, true])
    assert.deepEqual(
      log.lines.map(({ level }) => level),
      ['warn', 'info'],
    )
  })

  it('lifts every limit when there is none for all times', async () => {
    const { throttle, told } = open({ throttleAlwaysBlockBytes: 0 })
    await throttle.update(2_000)
    await throttle.update(0)
    assert.deepEqual(told, [
      [50, 200],
      [null, null],
    ])
  })

  it('never makes a throttled block larger than a usual one', async () => {
    const { throttle, told } = open({ throttleAlwaysBlockBytes: 100 })
    await throttle.update(2_000)
    assert.deepEqual(told, [[50, 100]])
  })

  it('says it again in time for an execution client that has forgotten', async () => {
    const { throttle, told, clock } = open()
    await throttle.update(2_000)
    await clock.advance(14_999)
    await throttle.update(2_000)
    assert.equal(told.length, 1)
    await clock.advance(1)
    await throttle.update(2_000)
    assert.deepEqual(told[1], [50, 200])
  })

  it('goes on without the sequencer, says so once, and tries again', async () => {
    const { throttle, told, log, node } = open()
    node.down = true
    await throttle.update(2_000)
    await throttle.update(2_000)
    assert.equal(log.matching('does not take block limits').length, 1)
    node.down = false
    await throttle.update(2_000)
    assert.deepEqual(told, [[50, 200]])
    assert.equal(log.matching('takes block limits again').length, 1)
  })

  it('asks nobody when the threshold is zero', async () => {
    const { throttle, told, seen } = open({ throttleThresholdBytes: 0 })
    await throttle.update(1e9)
    assert.deepEqual(told, [])
    assert.deepEqual(seen, [[1e9, false]])
  })
})
