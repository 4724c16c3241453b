import assert from 'node:assert/strict'
import { createSystemClock } from '@keelson/runtime'
import { createCallGate } from './call-gate.ts'

const signal = new AbortController().signal
const options = { maxRunning: 1, maxWaiting: 1, timeoutMs: 5_000 }

/** A call that runs until it is let go. */
function held() {
  let release: () => void = () => undefined
  const done = new Promise<void>((resolve) => {
    release = resolve
  })
  return { release, call: () => done }
}

describe('the gate of simulated calls', () => {
  it('lets few run at once, the next when one has left, and refuses more than may wait', async () => {
    const gate = createCallGate(createSystemClock(), options)
    const order: string[] = []
    const first = held()
    const running = gate.run(signal, () => first.call().then(() => order.push('first')))
    const waiting = gate.run(signal, async () => order.push('second'))
    await assert.rejects(
      gate.run(signal, async () => order.push('third')),
      /too many calls are waiting/,
    )
    first.release()
    await Promise.all([running, waiting])
    assert.deepEqual(order, ['first', 'second'])
  })

  it('hands a place on when a call fails, and does not run one whose caller has gone', async () => {
    const gate = createCallGate(createSystemClock(), options)
    const caller = new AbortController()
    const failing = held()
    const running = gate.run(signal, () => failing.call().then(() => Promise.reject(new RangeError('broken'))))
    const waiting = gate.run(caller.signal, async () => 'ran')
    caller.abort(new RangeError('gone'))
    failing.release()
    await assert.rejects(running, /broken/)
    await assert.rejects(waiting, /gone/)
    assert.equal(await gate.run(signal, async () => 'free again'), 'free again')
  })

  it('ends a call that takes too long and gives way while it runs', async () => {
    let nowMs = 0
    const gate = createCallGate({ ...createSystemClock(), monotonicMs: () => nowMs }, options)
    let turns = 0
    const endless = gate.run(signal, async (pacer) => {
      for (;;) {
        nowMs += 0.1
        const pause = pacer.hooks.pause?.() ?? null
        if (pause !== null) {
          turns++
          await pause
        }
      }
    })
    await assert.rejects(endless, /execution timeout/)
    assert.ok(turns > 100, `others had ${turns} turns in 5 s`)
  })
})
