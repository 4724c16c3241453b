import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createLane } from './lanes.ts'

const { signal } = new AbortController()
const OPTIONS = { maxRunning: 1, maxRunningPerClient: 1, maxWaiting: 1, plural: 'calls' }

function held() {
  let release: () => void = () => undefined
  const done = new Promise<void>((resolve) => {
    release = resolve
  })
  return { release, task: () => done }
}

describe('a lane of reads', () => {
  it('limits concurrent reads, starts the next when one ends, and rejects more than the queue holds', async () => {
    const lane = createLane(OPTIONS)
    const order: string[] = []
    const first = held()
    const running = lane.run(signal, null, () => first.task().then(() => order.push('first')))
    const waiting = lane.run(signal, null, async () => order.push('second'))
    await assert.rejects(
      lane.run(signal, null, async () => order.push('third')),
      { number: -32000, message: 'too many calls are waiting; try again later' },
    )
    first.release()
    await Promise.all([running, waiting])
    assert.deepEqual(order, ['first', 'second'])
  })

  it('reserves capacity for other clients when one fills its share', async () => {
    const lane = createLane({ maxRunning: 2, maxRunningPerClient: 1, maxWaiting: 5, plural: 'calls' })
    const [first, second] = [held(), held()]
    const order: string[] = []
    const greedy = [
      lane.run(signal, 'a', first.task),
      lane.run(signal, 'a', async () => order.push('a again')),
      lane.run(signal, 'a', async () => order.push('a a third time')),
    ]
    const other = lane.run(signal, 'b', second.task)
    const behind = lane.run(signal, 'c', async () => order.push('c'))
    second.release()
    await Promise.all([other, behind])
    assert.deepEqual(order, ['c'], 'the place of b goes to c, who came after two of a')
    first.release()
    await Promise.all(greedy)
    assert.deepEqual(order, ['c', 'a again', 'a a third time'])
  })

  it('removes a disconnected caller from the queue immediately', async () => {
    const lane = createLane(OPTIONS)
    const caller = new AbortController()
    const first = held()
    const running = lane.run(signal, null, first.task)
    const gone = lane.run(caller.signal, null, async () => 'ran')
    caller.abort(new RangeError('gone'))
    await assert.rejects(gone, /gone/)
    assert.equal(lane.waiting, 0)
    const next = lane.run(signal, null, async () => 'next')
    first.release()
    await running
    assert.equal(await next, 'next')
    await assert.rejects(
      lane.run(caller.signal, null, async () => 'ran'),
      /gone/,
    )
  })

  it('never exceeds its limit and loses no slot, whatever fails or disconnects', async () => {
    const step = fc.record({ fails: fc.boolean(), goes: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 4 }), async (steps, maxRunning) => {
        const lane = createLane({ maxRunningPerClient: Number.POSITIVE_INFINITY, maxRunning, maxWaiting: 100, plural: 'calls' })
        let running = 0
        let most = 0
        const all = steps.map(({ fails, goes }) => {
          const caller = new AbortController()
          const done = lane.run(caller.signal, null, async () => {
            running++
            most = Math.max(most, running)
            await Promise.resolve()
            running--
            if (fails) throw new RangeError('failed')
          })
          if (goes) caller.abort(new RangeError('gone'))
          return done
        })
        await Promise.allSettled(all)
        assert.equal(running, 0)
        assert.ok(most <= maxRunning)
        assert.equal(await lane.run(signal, null, async () => 'free again'), 'free again')
      }),
    )
  })
})
