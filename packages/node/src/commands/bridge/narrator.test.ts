import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { createProgress } from './narrator.ts'

describe('a wait of bridge prove --wait', () => {
  it('is not silent: it says how far it is every five seconds, and each new state at once', async () => {
    const clock = createManualClock()
    const lines: string[] = []
    const tell = createProgress({ say: (state, text) => lines.push(`${state} ${text}`) }, clock)
    for (let second = 0; second < 73; second++) {
      tell('waiting-to-prove', `final ${second}`)
      await clock.advance(1_000)
    }
    assert.equal(lines.length, 15)
    assert.deepEqual(lines.slice(0, 2), ['waiting-to-prove final 0', 'waiting-to-prove final 5'])
    tell('ready-to-prove', 'now')
    assert.equal(lines.at(-1), 'ready-to-prove now')
  })
})
