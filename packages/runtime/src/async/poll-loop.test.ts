import assert from 'node:assert/strict'
import { createManualClock } from '../clock.ts'
import { createPoller, type PollOptions, type PollStep, pollLoop } from './poll-loop.ts'

async function stepTimes(step: PollStep, options: Omit<PollOptions, 'clock'>, untilMs: number): Promise<number[]> {
  const clock = createManualClock()
  const times: number[] = []
  const stopping = new AbortController()
  const timed: PollStep = (signal) => {
    times.push(clock.nowMs())
    return step(signal)
  }
  const running = pollLoop(timed, { clock, ...options, signal: stopping.signal })
  await clock.advance(untilMs)
  stopping.abort()
  await running
  assert.deepEqual(clock.sleepers, [])
  return times
}

describe('pollLoop', () => {
  it('repeats a step at its interval until the signal aborts', async () => {
    assert.deepEqual(await stepTimes(async () => undefined, { intervalMs: 100 }, 350), [0, 100, 200, 300])
  })

  it('can wait before the first step', async () => {
    assert.deepEqual(await stepTimes(async () => undefined, { intervalMs: 100, waitFirst: true }, 250), [100, 200])
  })

  it('reads the interval before each wait', async () => {
    let intervalMs = 10
    const step = async () => {
      intervalMs *= 2
    }
    assert.deepEqual(await stepTimes(step, { intervalMs: () => intervalMs }, 100), [0, 20, 60])
  })

  it('waits for as long as the step returns, and not at all for 0', async () => {
    const waits = [5, 0, 0]
    assert.deepEqual(await stepTimes(async () => waits.shift(), { intervalMs: 100 }, 110), [0, 5, 5, 5, 105])
  })

  it('passes errors to the handler, which may choose the wait', async () => {
    const reasons: string[] = []
    const step = async () => {
      throw new Error(`failure ${reasons.length + 1}`)
    }
    const onError = (error: unknown) => {
      reasons.push((error as Error).message)
      return reasons.length === 1 ? 7 : undefined
    }
    assert.deepEqual(await stepTimes(step, { intervalMs: 100, onError }, 120), [0, 7, 107])
    assert.deepEqual(reasons, ['failure 1', 'failure 2', 'failure 3'])
  })

  it('doubles the wait with each failure in a row', async () => {
    const outcomes = [false, false, false, true, false]
    const step = async () => {
      if (outcomes.shift() === false) throw new Error('failed')
    }
    const options = { intervalMs: 100, backoff: { firstMs: 10, longestMs: 25 }, onError: () => undefined }
    assert.deepEqual(await stepTimes(step, options, 170), [0, 10, 30, 55, 155, 165])
  })

  it('ends with an error that no handler accepts', async () => {
    const clock = createManualClock()
    const { signal } = new AbortController()
    const step = async () => {
      throw new RangeError('broken')
    }
    await assert.rejects(pollLoop(step, { clock, signal, intervalMs: 10 }), RangeError)
    const onError = (error: unknown) => {
      throw new TypeError('critical', { cause: error })
    }
    await assert.rejects(pollLoop(step, { clock, signal, intervalMs: 10, onError }), TypeError)
    assert.deepEqual(clock.sleepers, [])
  })

  it('drops the error of a step that the abort interrupted', async () => {
    const stopping = new AbortController()
    const handled: unknown[] = []
    const step = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(new Error('interrupted'))))
    const options = { clock: createManualClock(), intervalMs: 10, onError: (error: unknown) => void handled.push(error) }
    const running = pollLoop(step, { ...options, signal: stopping.signal })
    stopping.abort()
    await running
    assert.deepEqual(handled, [])
  })

  it('takes no step for an aborted signal', async () => {
    const step = async () => assert.fail('must not be called')
    await pollLoop(step, { clock: createManualClock(), intervalMs: 10, signal: AbortSignal.abort() })
    await pollLoop(step, { clock: createManualClock(), intervalMs: 10, waitFirst: true, signal: AbortSignal.abort() })
  })
})

describe('createPoller', () => {
  it('steps from start to stop, and waits for the step in progress', async () => {
    const clock = createManualClock()
    let finish: () => void = () => undefined
    let steps = 0
    const step = () =>
      new Promise<void>((resolve) => {
        steps++
        finish = resolve
      })
    const poller = createPoller(step, { clock, intervalMs: 10 })
    await clock.advance(100)
    assert.equal(steps, 0)
    poller.start()
    assert.equal(steps, 1)
    let stopped = false
    const stopping = poller.stop().then(() => {
      stopped = true
    })
    assert.equal(poller.signal.aborted, true)
    await clock.advance(0)
    assert.equal(stopped, false)
    finish()
    await stopping
    assert.equal(steps, 1)
  })

  it('reports the error that ended the loop, and still stops', async () => {
    const poller = createPoller((): Promise<void> => Promise.reject(new RangeError('broken')), {
      clock: createManualClock(),
      intervalMs: 10,
    })
    poller.start()
    await assert.rejects(poller.failure, RangeError)
    await poller.stop()
  })
})
