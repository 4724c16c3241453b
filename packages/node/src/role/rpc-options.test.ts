import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { apiKeyDigest, createManualClock, createMetrics, createSilentLogger, resolveOptions } from '@keelson/runtime'
import { openFrontDoor } from './rpc-access-options.ts'
import { methodLimits, rpcOptions, serverLimits } from './rpc-options.ts'

const valuesOf = (flags: Record<string, string> = {}) => resolveOptions(rpcOptions, { flags }).values
const role = { clock: createManualClock(), log: createSilentLogger(), metrics: createMetrics('test') }
const burstAt = async (flags: Record<string, string>, peer: string, path = '/') => {
  const { access } = await openFrontDoor(valuesOf(flags), role)
  const entry = access.identify({ peer, path, forwardedFor: undefined, authorization: undefined })
  return entry.ok ? [entry.caller.tier, entry.caller.burst] : entry.status
}

describe('options of the RPC', () => {
  it('give what the methods have by default, but no wait longer than a request', () => {
    const limits = methodLimits(valuesOf())
    assert.deepEqual(limits, { ...DEFAULT_EXECUTION_OPTIONS.rpc, maxTraceTimeoutMs: 30_000, maxSyncSubmitTimeoutMs: 30_000 })
    const patient = methodLimits(valuesOf({ 'rpc.timeout': '2m', 'rpc.gascap': '50000000', 'rpc.rangelimit': '500' }))
    assert.deepEqual([patient.maxTraceTimeoutMs, patient.callGasCap], [60_000, 50_000_000n])
    assert.deepEqual([patient.maxLogRangeBlocks, patient.maxUnindexedLogRangeBlocks], [500, 500])
  })

  it('reach the servers', () => {
    const { limits, connections, gzip } = serverLimits(
      valuesOf({ 'rpc.batch-request-limit': '7', 'http.read-timeout': '9s', 'http.gzip': 'false' }),
    )
    assert.deepEqual([limits.maxBatchCalls, connections.requestTimeoutMs, connections.headersTimeoutMs, gzip], [7, 9_000, 3_000, false])
  })

  it('refuse what is out of range or unknown', () => {
    const refused = (flags: Record<string, string>, message: RegExp) => assert.throws(() => valuesOf(flags), message)
    refused({ 'http.api': 'eth,parity' }, /--http\.api: expected one of eth, net, web3/)
    refused({ 'rpc.rate': '0' }, /--rpc\.rate: expected a number from 0\.001/)
    refused({ 'rpc.burst': '1.5' }, /--rpc\.burst: expected a whole number from 1/)
    refused({ 'rpc.trusted': 'example.org' }, /--rpc\.trusted: expected an address or a network/)
    refused({ 'rpc.timeout': '30' }, /--rpc\.timeout: expected a time from 100ms to 1h, with its unit/)
    refused({ 'rpc.gascap': '20999' }, /--rpc\.gascap/)
  })

  it('trust nobody unless told to', async () => {
    assert.deepEqual(await burstAt({}, '127.0.0.1'), ['anonymous', 150])
    assert.deepEqual(await burstAt({ 'rpc.trusted': '127.0.0.0/8,::1' }, '::1'), ['trusted', Number.POSITIVE_INFINITY])
    assert.deepEqual(await burstAt({ 'rpc.rate': '5', 'rpc.burst': '6' }, '127.0.0.1'), ['anonymous', 6])
  })

  it('read a keys file, whose tiers count unless a flag says otherwise', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-keys-'))
    const path = join(folder, 'keys.json')
    try {
      const tiers = { anonymous: { perSec: 1, burst: 2 }, gold: { perSec: 3, burst: 4 } }
      await writeFile(path, JSON.stringify({ tiers, keys: [{ name: 'a', tier: 'gold', sha256: apiKeyDigest('k') }] }))
      const flags = { 'rpc.keys-file': path }
      assert.deepEqual(await burstAt(flags, '203.0.113.1'), ['anonymous', 2])
      assert.deepEqual(await burstAt({ ...flags, 'rpc.burst': '9' }, '203.0.113.1'), ['anonymous', 9])
      assert.deepEqual(await burstAt(flags, '203.0.113.1', '/v1/k'), ['gold', 4])
      assert.equal(await burstAt(flags, '203.0.113.1', '/v1/other'), 401)
      await writeFile(path, '[]')
      await assert.rejects(burstAt(flags, '203.0.113.1'), { code: 'runtime/api-keys' })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
