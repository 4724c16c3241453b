import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock, createSystemClock } from '@keelson/runtime'
import { acquireInstanceLock, endOrphans, isAlive, readInstance, runningInstance } from './instance-lock.ts'
import { stopNetwork } from './stop-network.ts'

const PLACE = { host: '127.0.0.1', portOffset: 7 }

describe('one network a folder', () => {
  let folder: string
  const children: ChildProcess[] = []
  async function bystander(...words: string[]): Promise<number> {
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)', ...words], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    children.push(child)
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    return child.pid as number
  }
  const write = (instance: object) => writeFileSync(join(folder, 'supervisor.json'), JSON.stringify({ ...PLACE, roles: {}, ...instance }))

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-lock-'))
  })
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    rmSync(folder, { recursive: true })
  })

  it('writes who runs it and where, and leaves nothing behind', () => {
    const lock = acquireInstanceLock(folder, PLACE)
    lock.recordRole('l1', 12)
    assert.deepEqual(readInstance(folder), { supervisorPid: process.pid, ...PLACE, roles: { l1: 12 }, stopped: {}, restarts: {} })
    lock.recordStopped('l1', 'it must not go on')
    assert.deepEqual([readInstance(folder)?.roles, readInstance(folder)?.stopped], [{}, { l1: 'it must not go on' }])
    lock.recordRole('l1', 13)
    assert.deepEqual([readInstance(folder)?.roles, readInstance(folder)?.stopped], [{ l1: 13 }, {}])
    lock.recordRestart('l1')
    lock.recordRestart('l1')
    assert.deepEqual(readInstance(folder)?.restarts, { l1: 2 })
    lock.release()
    assert.deepEqual(readdirSync(folder), [])
  })

  it('leaves no empty folder after a start that failed, and keeps one that was there or has files', () => {
    acquireInstanceLock(join(folder, 'new', 'deep'), PLACE).release()
    assert.deepEqual(readdirSync(folder), [])
    acquireInstanceLock(folder, PLACE).release()
    const lock = acquireInstanceLock(join(folder, 'used'), PLACE)
    writeFileSync(join(folder, 'used', 'chain'), '')
    lock.release()
    assert.deepEqual(readdirSync(folder), ['used'])
  })

  it('refuses a second one with what to do', async () => {
    write({ supervisorPid: await bystander('devnet') })
    const message =
      /already runs on .* use it, end it with "npm run stop -- --data-dir \S+", or start a second one with --data-dir and --port-offset/
    assert.throws(() => acquireInstanceLock(folder, PLACE), { code: 'node/devnet', message })
    assert.ok(runningInstance(folder) !== null)
  })

  it('takes the folder of one that was killed, and never takes another program for it', async () => {
    const pid = await bystander('something-else')
    write({ supervisorPid: pid })
    assert.equal(runningInstance(folder), null)
    assert.match(await stopNetwork(folder, createManualClock()), /nothing to stop/)
    assert.ok(isAlive(pid), 'a program that reuses the process ID is left alone')
    acquireInstanceLock(folder, PLACE).release()
    writeFileSync(join(folder, 'supervisor.json'), 'torn')
    acquireInstanceLock(folder, PLACE).release()
  })

  it('ends what a killed one left, after its time to end by itself, and nobody else', async () => {
    const left = await bystander('execution', `--data-dir=${folder}/execution`)
    const stranger = await bystander('execution', '--data-dir=/another/folder')
    const gone = await bystander(folder)
    const ended = once(children.at(-1) as ChildProcess, 'exit')
    process.kill(gone, 'SIGKILL')
    await ended
    write({ supervisorPid: 0, roles: { execution: left, batcher: stranger, proposer: gone } })
    const system = createSystemClock()
    let nowMs = 0
    const clock = {
      ...system,
      nowMs: () => nowMs,
      sleep: async (ms: number) => {
        nowMs += isAlive(left) && nowMs === 0 ? 3_600_000 : 0
        await system.sleep(ms)
      },
    }
    assert.deepEqual(await endOrphans(folder, readInstance(folder), clock), [`execution (process ${left})`])
    const child = children[0] as ChildProcess
    if (child.signalCode === null) await once(child, 'exit')
    assert.equal(child.signalCode, 'SIGKILL')
    assert.ok(isAlive(stranger))
    assert.deepEqual(await endOrphans(folder, null, clock), [])
  })
})
