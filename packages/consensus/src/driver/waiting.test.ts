import assert from 'node:assert/strict'
import { type L1BlockRef, ZERO_HASH } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { makePayload } from '../../../../test/support/payloads.ts'
import { createRecordingLogger } from '../../../../test/support/recording-logger.ts'
import { createDegradedStates } from '../degraded-states.ts'
import { createBackOff } from './back-off.ts'
import { createInputQueue } from './input-queue.ts'

describe('backing off', () => {
  it('doubles from 100 ms to 10 s and begins again after a success', async () => {
    const clock = createManualClock()
    const backOff = createBackOff(clock)
    assert.equal(backOff.waiting, false)
    const delays: number[] = []
    for (let i = 0; i < 9; i++) {
      backOff.failed()
      delays.push((backOff.retryAtMs ?? 0) - clock.nowMs())
      assert.equal(backOff.waiting, true)
      await clock.advance(delays.at(-1) ?? 0)
      assert.equal(backOff.waiting, false)
    }
    assert.deepEqual(delays, [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
    backOff.succeeded()
    backOff.failed()
    assert.equal((backOff.retryAtMs ?? 0) - clock.nowMs(), 100)
  })
})

describe('degraded states', () => {
  it('print a line when they begin and one when they are over', async () => {
    const clock = createManualClock(5_000)
    const log = createRecordingLogger()
    const states = createDegradedStates(clock, log)
    states.enter('l1', 'L1 does not answer', 'connection refused', 'check it')
    await clock.advance(1_000)
    states.enter('l1', 'L1 does not answer', 'timeout', 'check it')
    assert.equal(log.lines.length, 1)
    assert.deepEqual(states.list(), [{ what: 'L1 does not answer', sinceMs: 5_000, why: 'timeout', remedy: 'check it' }])
    states.leave('l1')
    states.leave('l1')
    assert.deepEqual(
      log.lines.map((line) => [line.level, line.message, line.fields.afterMs]),
      [
        ['warn', 'L1 does not answer', undefined],
        ['info', 'over: L1 does not answer', 1_000],
      ],
    )
  })
})

describe('the input queue', () => {
  const l1 = (number: number): L1BlockRef => ({ hash: ZERO_HASH, number, parentHash: ZERO_HASH, timestampSec: 0 })
  const envelope = makePayload({ number: 1, parentHash: ZERO_HASH, timestampSec: 2, l1Origin: l1(0), sequenceNumber: 1 })

  it('keeps the newest news of each kind and every unsafe block up to its cap', () => {
    const queue = createInputQueue(3)
    assert.equal(queue.push({ kind: 'l1-head', block: l1(1) }), 'queued')
    assert.equal(queue.push({ kind: 'unsafe-payload', envelope, from: 'a' }), 'queued')
    assert.equal(queue.push({ kind: 'l1-head', block: l1(2) }), 'queued')
    assert.equal(queue.push({ kind: 'unsafe-payload', envelope, from: 'b' }), 'queued')
    assert.equal(queue.push({ kind: 'unsafe-payload', envelope, from: 'c' }), 'full')
    assert.equal(queue.push({ kind: 'reset', reason: 'x' }), 'queued')
    const drained = queue.drain()
    assert.deepEqual(
      drained.map((input) => input.kind),
      ['unsafe-payload', 'l1-head', 'unsafe-payload', 'reset'],
    )
    assert.equal(drained[1]?.kind === 'l1-head' && drained[1].block.number, 2)
    assert.equal(queue.size, 0)
  })
})
