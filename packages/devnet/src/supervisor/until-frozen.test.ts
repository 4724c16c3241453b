import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createSystemClock } from '@keelson/runtime'
import { createRoleProcess, type RoleEvents } from './role-process.ts'
import { untilFrozen } from './until-frozen.ts'

const COUNT = 'let n = 0; setInterval(() => console.log(n++), 1)'

describe('a frozen role', () => {
  const clock = createSystemClock()
  const ignored: RoleEvents = { started: () => undefined, died: () => undefined, stoppedForGood: () => undefined, output: () => undefined }

  it('does nothing until it is thawed, and can then be stopped', async () => {
    let last = -1
    let next: () => void = () => undefined
    const output = (_: string, line: string) => {
      last = Number(line)
      next()
    }
    const counted = () =>
      new Promise<void>((resolve) => {
        next = resolve
      })
    const spec = { name: 'role', command: process.execPath, args: ['-e', COUNT], stopSignal: 'SIGTERM' as const }
    const role = createRoleProcess(spec, clock, { ...ignored, output })
    assert.equal(role.freeze(), false, 'no process yet')
    role.start()
    await counted()
    assert.equal(role.freeze(), true)
    await untilFrozen([role.pid as number], clock)
    assert.match(execFileSync('ps', ['-o', 'state=', '-p', String(role.pid)], { encoding: 'utf8' }), /^T/, 'stopped by a signal, in ps(1)')
    const frozen = last
    role.thaw()
    await counted()
    assert.ok(last > frozen)
    await role.stop(5_000)
    assert.equal(role.pid, null)
  })
})
