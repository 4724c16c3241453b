import assert from 'node:assert/strict'
import { createManualClock, type ManualClock } from '@keelson/runtime'
import { ClientError, RpcResponseError } from '../client-error.ts'
import { type AnswerWatch, createAnswerWatch } from './answer-watch.ts'

describe('watching whether a node answers', () => {
  let clock: ManualClock
  let watch: AnswerWatch

  beforeEach(() => {
    clock = createManualClock()
    watch = createAnswerWatch(clock)
  })
  const timeout = () => new ClientError('client/timeout', 'temporary', 'no answer within 15000 ms')
  const silentMs = () => (watch.unansweredSinceMs === null ? null : clock.nowMs() - watch.unansweredSinceMs)

  it('tells of the silence while the first request still hangs, and over failures, until an answer comes', async () => {
    let reject: (error: Error) => void = () => undefined
    const request = watch.track(
      new Promise<never>((_, fail) => {
        reject = fail
      }),
    )
    await clock.advance(12_000)
    assert.equal(silentMs(), 12_000)
    reject(timeout())
    await assert.rejects(request, { code: 'client/timeout' })
    await clock.advance(50_000)
    await assert.rejects(watch.track(Promise.reject(timeout())))
    assert.equal(silentMs(), 62_000)
    await watch.track(Promise.resolve(1))
    assert.equal(silentMs(), null)
  })

  it('takes an error the node gives for an answer', async () => {
    await assert.rejects(watch.track(Promise.reject(timeout())))
    await assert.rejects(watch.track(Promise.reject(new RpcResponseError('critical', 'eth_call', 3, 'execution reverted', null))))
    assert.equal(silentMs(), null)
  })

  it('restarts its count for a request that hangs while others are answered, and ignores a cancelled one', async () => {
    let reject: (error: Error) => void = () => undefined
    const request = watch.track(
      new Promise<never>((_, fail) => {
        reject = fail
      }),
    )
    await clock.advance(9_000)
    await watch.track(Promise.resolve(1))
    await clock.advance(9_000)
    assert.equal(silentMs(), 9_000)
    reject(new ClientError('client/aborted', 'temporary', 'cancelled'))
    await assert.rejects(request)
    assert.equal(silentMs(), null)
  })
})
