import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DevnetFile, writeDevnetFile } from '../prepare/devnet-file.ts'
import { clockOffsetFor, findDevnetOf, ownNodes } from './devnet-clock.ts'

describe('clock of a development network that paused', () => {
  const devnet = mkdtempSync(join(tmpdir(), 'keelson-devnet-clock-'))
  const facts = {
    l2: { rpcUrl: 'http://127.0.0.1:8545' },
    validator: { rpcUrl: 'http://127.0.0.1:8645', rollupRpcUrl: 'http://127.0.0.1:8965' },
    standby: null,
    clockOffsetMs: -76_000,
  }
  before(() => writeDevnetFile(devnet, facts as unknown as DevnetFile))
  after(() => rmSync(devnet, { recursive: true }))

  it('counts for each of its nodes, however the machine is called', () => {
    for (const url of ['http://127.0.0.1:8545', 'http://localhost:8645/']) {
      assert.equal(clockOffsetFor({ clockOffsetMs: null, devnet }, url), -76_000)
    }
  })

  it('counts for no other node, and not where another is given or no network runs', () => {
    assert.equal(clockOffsetFor({ clockOffsetMs: null, devnet }, 'http://127.0.0.1:28545'), 0)
    assert.equal(clockOffsetFor({ clockOffsetMs: 5, devnet }, 'http://127.0.0.1:8545'), 5)
    assert.equal(clockOffsetFor({ clockOffsetMs: 0, devnet }, 'http://127.0.0.1:8545'), 0)
    assert.equal(findDevnetOf(join(devnet, 'none'), 'http://127.0.0.1:8545'), null)
  })

  it('validator run asks its nodes when none is given, as --devnet promises', () => {
    assert.deepEqual(ownNodes({ l2Rpc: null, rollupRpc: null, devnet }), {
      l2Rpc: 'http://127.0.0.1:8645',
      rollupRpc: 'http://127.0.0.1:8965',
    })
    const given = { l2Rpc: 'http://a', rollupRpc: 'http://b' }
    assert.deepEqual(ownNodes({ ...given, devnet }), given)
    assert.throws(() => ownNodes({ l2Rpc: 'http://a', rollupRpc: null, devnet }), {
      code: 'node/usage',
      message: /give --l2.rpc and --rollup.rpc, or neither/,
    })
    assert.throws(() => ownNodes({ l2Rpc: null, rollupRpc: null, devnet: join(devnet, 'none') }), {
      message: /--devnet FOLDER .*: none does in /,
    })
  })
})
