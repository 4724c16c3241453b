import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createManualClock, createSystemClock } from './clock.ts'
import { createSilentLogger } from './log.ts'
import { runServices, startServices } from './run-services.ts'
import type { Service } from './service.ts'

const log = createSilentLogger()

function recorder() {
  const events: string[] = []
  const service = (name: string, overrides: Partial<Service> = {}): Service => ({
    name,
    async start() {
      events.push(`start ${name}`)
    },
    async stop() {
      events.push(`stop ${name}`)
    },
    ...overrides,
  })
  return { events, service }
}

describe('services', () => {
  it('start in order and stop in reverse, once', async () => {
    const { events, service } = recorder()
    const running = await startServices([service('a'), service('b')], { log, clock: createSystemClock() })
    await Promise.all([running.stop(), running.stop()])
    assert.deepEqual(events, ['start a', 'start b', 'stop b', 'stop a'])
  })

  it('abort the signal of a service when it must stop', async () => {
    const { events, service } = recorder()
    const withSignal = (name: string) =>
      service(name, { start: async (signal) => signal.addEventListener('abort', () => events.push(`abort ${name}`)) })
    const running = await startServices([withSignal('a'), withSignal('b')], { log, clock: createSystemClock() })
    await running.stop()
    assert.deepEqual(events, ['abort b', 'stop b', 'abort a', 'stop a'])
  })

  it('stop the started ones when one fails to start', async () => {
    const { events, service } = recorder()
    const broken = service('broken', { start: () => Promise.reject(new Error('port taken')) })
    await assert.rejects(startServices([service('a'), broken, service('c')], { log, clock: createSystemClock() }), /port taken/)
    assert.deepEqual(events, ['start a', 'stop a'])
  })

  it('skip a service that does not stop in time, and still stop the others', async () => {
    const { events, service } = recorder()
    const clock = createManualClock()
    const stuck = service('stuck', { stop: () => new Promise(() => undefined) })
    const failing = service('failing', { stop: () => Promise.reject(new Error('no')) })
    const running = await startServices([service('a'), failing, stuck], { log, clock, stopTimeoutMs: 4500 })
    const stopped = running.stop()
    await clock.advance(4500)
    await stopped
    assert.deepEqual(events, ['start a', 'start failing', 'start stuck', 'stop a'])
  })

  it('run until a signal, and exit at once on the second', async () => {
    const { events, service } = recorder()
    const signals = new EventEmitter()
    let impatient = 0
    const slow = service('slow', {
      stop: async () => {
        signals.emit('SIGTERM')
        events.push('stop slow')
      },
    })
    await runServices([slow], {
      log,
      clock: createSystemClock(),
      signals,
      onReady: () => void setImmediate(() => signals.emit('SIGINT')),
      onImpatience: () => impatient++,
    })
    assert.deepEqual(events, ['start slow', 'stop slow'])
    assert.equal(impatient, 1)
    assert.equal(signals.listenerCount('SIGINT') + signals.listenerCount('SIGTERM'), 0)
  })

  it('stop everything and fail when a service fails later', async () => {
    const { events, service } = recorder()
    let fail: (error: Error) => void = () => undefined
    const failure = new Promise<never>((_, reject) => {
      fail = reject
    })
    const run = runServices([service('a'), service('b', { failure })], {
      log,
      clock: createSystemClock(),
      signals: new EventEmitter(),
      onReady: () => fail(new Error('disk full')),
    })
    await assert.rejects(run, /disk full/)
    assert.deepEqual(events, ['start a', 'start b', 'stop b', 'stop a'])
  })

  it('treat an interruption during the start as a normal end', async () => {
    const { events, service } = recorder()
    const signals = new EventEmitter()
    const waiting = service('waiting', {
      start: (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          setImmediate(() => signals.emit('SIGINT'))
        }),
    })
    await runServices([service('a'), waiting], { log, clock: createSystemClock(), signals })
    assert.deepEqual(events, ['start a', 'stop a'])
  })
})
