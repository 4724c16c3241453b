import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operatorSecretPath } from '@keelson/conductor'
import { networkStatus } from './network-status.ts'

describe('the status of a network', () => {
  let folder: string
  let supervisor: ChildProcess
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-status-'))
    supervisor = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', 'devnet'], { stdio: 'ignore' })
    await once(supervisor, 'spawn')
  })
  afterEach(async () => {
    const ended = once(supervisor, 'exit')
    supervisor.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })

  it('tells a role that stays down, and why, from roles that do not answer yet', async () => {
    const stopped = { validator: 'its keys do not sign: key 0x07 was slashed' }
    const instance = {
      supervisorPid: supervisor.pid,
      host: '127.0.0.1',
      portOffset: 23_400,
      roles: { faucet: 12 },
      stopped,
      restarts: { faucet: 2 },
    }
    writeFileSync(join(folder, 'supervisor.json'), JSON.stringify(instance))
    const { running, ready, text, document } = await networkStatus(folder, operatorSecretPath)
    assert.deepEqual([running, ready], [true, false])
    assert.match(text, /^STOP {2}validator +process - +stopped: its keys do not sign: key 0x07 was slashed$/m)
    assert.match(text, /^WAIT {2}faucet +process 12 +no answer.*, restarted 2 times$/m)
    assert.deepEqual(
      document.roles.find(({ role }) => role === 'validator'),
      {
        role: 'validator',
        pid: null,
        ready: false,
        stopped: true,
        restarts: 0,
        text: 'stopped: its keys do not sign: key 0x07 was slashed',
      },
    )
    assert.deepEqual([document.running, document.heads, document.leader], [true, null, null])
  })
})
