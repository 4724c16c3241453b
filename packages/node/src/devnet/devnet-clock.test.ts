import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clockOffsetFor, findDevnetOf } from './devnet-clock.ts'
import { type DevnetFile, writeDevnetFile } from './devnet-file.ts'

describe('clock of a development network that paused', () => {
  const devnet = mkdtempSync(join(tmpdir(), 'keelson-devnet-clock-'))
  const facts = {
    l2: { rpcUrl: 'http://127.0.0.1:8545' },
    validator: { rpcUrl: 'http://127.0.0.1:18545' },
    standby: null,
    clockOffsetMs: -76_000,
  }
  before(() => writeDevnetFile(devnet, facts as unknown as DevnetFile))
  after(() => rmSync(devnet, { recursive: true }))

  it('counts for each of its nodes, however the machine is called', () => {
    for (const url of ['http://127.0.0.1:8545', 'http://localhost:18545/']) {
      assert.equal(clockOffsetFor({ clockOffsetMs: null, devnet }, url), -76_000)
    }
  })

  it('counts for no other node, and not where another is given or no network runs', () => {
    assert.equal(clockOffsetFor({ clockOffsetMs: null, devnet }, 'http://127.0.0.1:28545'), 0)
    assert.equal(clockOffsetFor({ clockOffsetMs: 5, devnet }, 'http://127.0.0.1:8545'), 5)
    assert.equal(clockOffsetFor({ clockOffsetMs: 0, devnet }, 'http://127.0.0.1:8545'), 0)
    assert.equal(findDevnetOf(join(devnet, 'none'), 'http://127.0.0.1:8545'), null)
  })
})
