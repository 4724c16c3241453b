import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../../..')
const MAIN = join(ROOT, 'test/simulated/run.ts')
const TSX = join(ROOT, 'node_modules/tsx/dist/loader.mjs')

interface Host {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly flags: readonly string[]
}

describe('npm run simulate', function () {
  this.timeout(300_000)
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-simulate-'))
  })

  after(() => rm(folder, { recursive: true }))

  const run = async ({ cwd, env, flags }: Host) => {
    const args = ['--import', TSX, ...flags, MAIN, '--seed', '5', '--days', '0.001', '--json']
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env })
    const { traceHash, events, violations } = JSON.parse(stdout) as Record<string, unknown>
    return { traceHash, events, violations }
  }

  it('has the same trace in another process, folder, time zone and language, with other limits of memory and threads', async () => {
    const { PATH = '' } = process.env
    const here = await run({ cwd: ROOT, env: { PATH, TZ: 'UTC', LANG: 'C' }, flags: [] })
    const there = await run({
      cwd: folder,
      env: { PATH, TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', UV_THREADPOOL_SIZE: '1' },
      flags: ['--single-threaded', '--max-old-space-size=1500', '--max-semi-space-size=2'],
    })
    assert.deepEqual(here.violations, [])
    assert.deepEqual(there, here)
  })
})
