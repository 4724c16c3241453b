import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@keelson/primitives'
import { createRoleProcess, type RoleSpec } from './role-process.ts'

function recordingClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = []
  return {
    waits,
    nowMs: () => 0,
    monotonicMs: () => 0,
    sleep(ms, signal) {
      if (ms >= 60_000) return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      waits.push(ms)
      return Promise.resolve()
    },
  }
}

const role = (script: string): RoleSpec => ({ name: 'role', command: process.execPath, args: ['-e', script], stopSignal: 'SIGTERM' })

describe('a supervised role', () => {
  it('is restarted at once the first time and with backoff afterwards, and each exit is reported', async () => {
    const events = new EventEmitter()
    const clock = recordingClock()
    const deaths: string[] = []
    const supervised = createRoleProcess(role('process.exit(3)'), clock, {
      started: () => undefined,
      output: () => undefined,
      stoppedForGood: () => assert.fail('the code means nothing of the kind to this role'),
      died: (_, how, restartInMs) => {
        deaths.push(`${how}, ${restartInMs}`)
        if (deaths.length === 3) events.emit('enough')
      },
    })
    supervised.start()
    await once(events, 'enough')
    await supervised.stop(60_000)
    assert.deepEqual(deaths, ['exit code 3, 0', 'exit code 3, 1000', 'exit code 3, 2000'])
    assert.deepEqual(clock.waits.slice(0, 2), [0, 1000])
  })

  it('stays down after an exit that means it must not go on, and comes back after any other', async () => {
    const events = new EventEmitter()
    const folder = mkdtempSync(join(tmpdir(), 'keelson-role-'))
    const clock = recordingClock()
    const told: string[] = []
    const script = `const { existsSync, writeFileSync } = require('node:fs'); const mark = ${JSON.stringify(join(folder, 'mark'))}
      if (existsSync(mark)) { console.error('key 0x07 was slashed'); process.exitCode = 4 } else { writeFileSync(mark, ''); process.exitCode = 1 }`
    const supervised = createRoleProcess({ ...role(script), finalExits: { 4: 'slashed' } }, clock, {
      started: () => told.push('started'),
      output: () => undefined,
      died: (_, how) => told.push(how),
      stoppedForGood: (name, what, lastWords) => {
        told.push(`${name} ${what}: ${lastWords}`)
        events.emit('final')
      },
    })
    supervised.start()
    await once(events, 'final')
    assert.deepEqual(told, ['started', 'exit code 1', 'started', 'role slashed: key 0x07 was slashed'])
    assert.deepEqual([supervised.pid, supervised.restarts, clock.waits], [null, 1, [0]])
    await supervised.stop(60_000)
    rmSync(folder, { recursive: true })
  })

  it('hands on complete lines and stops in order when asked', async () => {
    const events = new EventEmitter()
    const lines: string[] = []
    const script = `process.stdout.write('one\\ntw'); process.stdout.write('o\\n'); process.on('SIGTERM', () => { console.log('bye'); process.exit(0) }); setInterval(() => {}, 1000)`
    const supervised = createRoleProcess(role(script), recordingClock(), {
      started: () => undefined,
      stoppedForGood: () => assert.fail('it was asked to stop'),
      died: () => assert.fail('a stop that was asked for is not a death'),
      output: (_, line) => {
        lines.push(line)
        if (line === 'two') events.emit('two')
      },
    })
    supervised.start()
    await once(events, 'two')
    await supervised.stop(60_000)
    assert.equal(supervised.pid, null)
    assert.deepEqual(lines.slice(0, 2), ['one', 'two'])
    assert.equal(supervised.restarts, 0)
  })
})
