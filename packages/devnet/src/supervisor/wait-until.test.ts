import assert from 'node:assert/strict'
import type { Clock } from '@keelson/primitives'
import { waitUntil } from './wait-until.ts'

function instantClock(): Clock {
  let nowMs = 0
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms
    },
  }
}
const options = { what: 'the thing', timeoutMs: 1_000, intervalMs: 100 }

describe('waiting for another process', () => {
  it('takes the first value, whatever failed before', async () => {
    let looks = 0
    const value = await waitUntil(
      async () => {
        looks++
        if (looks === 1) throw new Error('not there')
        return looks === 3 ? 'there' : null
      },
      instantClock(),
      options,
    )
    assert.equal(value, 'there')
  })

  it('ends with what did not happen, the last failure and a hint', async () => {
    const never = waitUntil(() => Promise.reject(new Error('refused')), instantClock(), { ...options, hint: () => 'see the log' })
    await assert.rejects(never, { code: 'node/devnet', message: 'the thing did not happen within 1 s: refused; see the log' })
  })

  it('ends at once when it is interrupted', async () => {
    const reason = new Error('Ctrl-C')
    const interrupted = waitUntil(async () => null, instantClock(), { ...options, signal: AbortSignal.abort(reason) })
    await assert.rejects(interrupted, reason)
  })
})
