import assert from 'node:assert/strict'
import { createAnswerWatch } from '@keelson/client'
import { createManualClock } from '@keelson/runtime'
import { createRecordingLogger } from '../../../../test/support/recording-logger.ts'
import { createL1Silence } from './l1-silence.ts'

describe('an L1 that hangs', () => {
  it('is reported after 10 s, once, also by the health check, and its end with the length of the outage', async () => {
    const clock = createManualClock()
    const log = createRecordingLogger()
    const watch = createAnswerWatch(clock)
    const silence = createL1Silence(watch, '127.0.0.1:8545', { clock, log })
    await silence.start(new AbortController().signal)
    let resolve: () => void = () => undefined
    const request = watch.track(
      new Promise<void>((answer) => {
        resolve = answer
      }),
    )
    await clock.advance(9_000)
    assert.deepEqual([silence.trouble(), log.lines.length], [null, 0])
    for (let sec = 9; sec < 112; sec++) await clock.advance(1_000)
    assert.match(silence.trouble()?.reason ?? '', /^L1 has not answered for 112 s \(127\.0\.0\.1:8545\)/)
    resolve()
    await request
    assert.equal(silence.trouble(), null)
    await clock.advance(1_000)
    assert.deepEqual(
      log.lines.map(({ level, message, fields }) => [level, message, fields.afterMs]),
      [
        ['warn', 'L1 has not answered for 10 s', undefined],
        ['info', 'L1 answers again', 113_000],
      ],
    )
    await silence.stop()
  })
})
