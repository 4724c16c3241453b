import assert from 'node:assert/strict'
import { createManualClock } from '../clock.ts'
import { DeadlineError, withDeadline } from './with-deadline.ts'

const never = new Promise<never>(() => undefined)

describe('withDeadline', () => {
  it('returns the result and clears its timer', async () => {
    const clock = createManualClock()
    assert.equal(await withDeadline(Promise.resolve(7), { clock, ms: 100 }), 7)
    assert.deepEqual(clock.sleepers, [])
  })

  it('passes on the error of the work and clears its timer', async () => {
    const clock = createManualClock()
    const reason = new Error('no')
    await assert.rejects(withDeadline(Promise.reject(reason), { clock, ms: 100 }), reason)
    const throws = () => {
      throw reason
    }
    await assert.rejects(withDeadline(throws, { clock, ms: 100 }), reason)
    assert.deepEqual(clock.sleepers, [])
  })

  it('throws a coded error at the deadline, and not before', async () => {
    const clock = createManualClock()
    const waiting = withDeadline(never, { clock, ms: 100, what: 'the lookup' })
    const expected = { code: 'runtime/deadline', message: 'the lookup did not finish within 100 ms' }
    const rejects = assert.rejects(waiting, expected)
    await clock.advance(99)
    assert.deepEqual(clock.sleepers, [100])
    await clock.advance(1)
    await rejects
  })

  it('returns or throws what onTimeout does', async () => {
    const clock = createManualClock()
    const substitute = withDeadline(never, { clock, ms: 5, onTimeout: () => null })
    const refused = withDeadline(never, {
      clock,
      ms: 5,
      onTimeout() {
        throw new RangeError('late')
      },
    })
    const rejects = assert.rejects(refused, RangeError)
    await clock.advance(5)
    assert.equal(await substitute, null)
    await rejects
  })

  it('aborts the call at the deadline, and drops what the call returns then', async () => {
    const clock = createManualClock()
    const obedient = withDeadline(
      (signal) => new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled')))),
      { clock, ms: 5 },
    )
    const graceful = withDeadline((signal) => new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('half'))), {
      clock,
      ms: 5,
    })
    const both = [assert.rejects(obedient, DeadlineError), assert.rejects(graceful, DeadlineError)]
    await clock.advance(5)
    await Promise.all(both)
  })

  it('rejects with the reason of the signal, also for work that ignores it', async () => {
    const clock = createManualClock()
    const controller = new AbortController()
    const reason = new Error('stop')
    let seen: AbortSignal | null = null
    const work = (signal: AbortSignal) => {
      seen = signal
      return never
    }
    const waiting = assert.rejects(withDeadline(work, { clock, ms: 5, signal: controller.signal }), reason)
    controller.abort(reason)
    await waiting
    assert.equal((seen as AbortSignal | null)?.aborted, true)
    assert.deepEqual(clock.sleepers, [])
  })

  it('does not start work for an aborted signal', async () => {
    const clock = createManualClock()
    let started = false
    const work = async () => {
      started = true
    }
    await assert.rejects(withDeadline(work, { clock, ms: 5, signal: AbortSignal.abort(new Error('stop')) }), /stop/)
    assert.equal(started, false)
  })
})
