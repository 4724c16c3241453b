import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endWithSupervisor } from './supervisor-watch.ts'

describe('a program that does not watch for its supervisor', () => {
  it('gets its stop signal when the supervisor is killed', async () => {
    const script = `
      import { spawn } from 'node:child_process'
      import { endWithSupervisor } from ${JSON.stringify(join(import.meta.dirname, 'supervisor-watch.ts'))}
      const program = spawn(process.execPath, ['-e', "process.on('SIGINT', () => { console.log('ended in order'); process.exit() }); console.log('up'); setInterval(() => {}, 1000)"], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
      endWithSupervisor(program.pid, 'SIGINT')
      setInterval(() => {}, 1000)`
    const supervisor = spawn(process.execPath, ['--import=tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: supervisor.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
    assert.equal((await lines.next()).value, 'up')
    supervisor.kill('SIGKILL')
    assert.equal((await lines.next()).value, 'ended in order')
    assert.equal((await lines.next()).done, true)
  })

  it('is left alone when the watch is called off', async () => {
    const program = spawn(process.execPath, ['-e', "console.log('up'); process.stdin.resume().on('end', () => process.exit(7))"], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    await once(program.stdout as NodeJS.ReadableStream, 'data')
    endWithSupervisor(program.pid as number, 'SIGKILL')()
    const ended = once(program, 'exit')
    program.stdin?.end()
    assert.deepEqual(await ended, [7, null])
  })
})
