import assert from 'node:assert/strict'
import type { L1BlockRef } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { createRecordingLogger } from '../../../../../test/support/recording-logger.ts'
import { createOriginNews } from './origin-news.ts'

const block = (number: number) => ({ number }) as L1BlockRef

describe('the L1 block of derivation', () => {
  it('is logged with rate and time left while it is far behind L1, and only counted near the head', async () => {
    const clock = createManualClock()
    const log = createRecordingLogger()
    const counted: number[] = []
    const origin = createOriginNews({ derivationOrigin: ({ number }) => counted.push(number) }, { head: block(1_000) }, clock, log)
    for (let number = 100; number <= 110; number++) {
      origin(block(number))
      await clock.advance(1_000)
    }
    assert.deepEqual(
      log.lines.map(({ message, fields }) => [message, fields]),
      [['deriving the chain from L1', { at: 110, of: 1_000, perSec: 1, left: '14 min 50 s' }]],
    )
    await clock.advance(20_000)
    for (let number = 970; number <= 1_000; number++) origin(block(number))
    assert.equal(log.lines.length, 1)
    assert.equal(counted.length, 42)
  })
})
