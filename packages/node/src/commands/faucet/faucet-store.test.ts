import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHash } from '@keelson/primitives'
import { claimDataDirectory, createManualClock, createSilentLogger } from '@keelson/runtime'
import { FAUCET_LAYOUT_VERSION, FAUCET_ROLE, runOnFaucet } from './faucet-store.ts'
import { renderTask } from './render-task.ts'

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

describe("the faucet's folder without a faucet", () => {
  const deps = { clock: createManualClock(Date.UTC(2026, 0, 1)), log: createSilentLogger() }
  const place = () => ({ dataDir, databaseUrl: null })
  let dataDir: string
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'keelson-faucet-'))
  })
  afterEach(() => rm(dataDir, { recursive: true, force: true }))
  const claimAs = (role: string) =>
    claimDataDirectory(dataDir, { version: FAUCET_LAYOUT_VERSION, role, chainId: 84532n, genesisHash: toHash(`0x${'11'.repeat(32)}`) })

  it('takes grants and gives them back', async () => {
    await claimAs(FAUCET_ROLE)
    const run = (task: 'grant' | 'revoke' | 'status' | 'applications', params = {}) => runOnFaucet(place(), task, params, deps)
    const granted = await run('grant', { address: ADDRESS.toLowerCase() })
    assert.deepEqual(granted, { address: ADDRESS, tier: 'developer', changed: true })
    const status = await run('status')
    assert.deepEqual([status.running, status.developers, status.applications], [false, [ADDRESS], 0])
    assert.match(renderTask('status', status), new RegExp(`developers +${ADDRESS}`))
    assert.match(renderTask('applications', await run('applications')), /nobody/)
    assert.deepEqual((await run('revoke', { address: ADDRESS })).taken, ['developer'])
    await assert.rejects(run('grant', { address: '0x12' }), { code: 'apps/faucet-task' })
    const mistyped = '0x70997970C51812dc3A010C7d01b50e0d17dc79C9'
    await assert.rejects(run('grant', { address: mistyped }), { code: 'apps/faucet-task', message: /look for a mistyped digit/ })
  })

  it('is not taken for that of another role, nor made where there is none', async () => {
    await assert.rejects(runOnFaucet(place(), 'status', {}, deps), /holds no data of a faucet/)
    await claimAs('batcher')
    await assert.rejects(runOnFaucet(place(), 'status', {}, deps), /holds data of the batcher role/)
  })
})
