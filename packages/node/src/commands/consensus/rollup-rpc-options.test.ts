import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  apiKeyDigest,
  createMetrics,
  createRpcServer,
  createSilentLogger,
  createSystemClock,
  type RpcServer,
  resolveOptions,
} from '@keelson/runtime'
import { openFrontDoor } from '../../role/rpc-access-options.ts'
import { rollupRpcMethods, rollupRpcOptions, rollupRpcServer } from './rollup-rpc-options.ts'

const clock = createSystemClock()
const log = createSilentLogger()
const methods = { rollup_version: () => 'v1' }
const adminMethods = { admin_stopSequencer: () => '0x00', admin_postUnsafePayload: () => null }

describe('the rollup RPC', () => {
  const servers: RpcServer[] = []
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-rollup-rpc-'))
  })
  after(() => rm(folder, { recursive: true }))
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop()
  })

  async function start(flags: Record<string, string>): Promise<string> {
    const { values } = resolveOptions(rollupRpcOptions, { flags: { 'rpc.port': '0', ...flags } })
    const { access } = await openFrontDoor(values, { clock, log, metrics: createMetrics('test') })
    const server = createRpcServer(rollupRpcServer(values), {
      methods: rollupRpcMethods(values, methods, adminMethods),
      log,
      clock,
      access,
    })
    servers.push(server)
    await server.start(new AbortController().signal)
    return server.httpUrl
  }
  const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
  async function call(url: string, method: string, headers: Record<string, string> = {}): Promise<unknown> {
    const response = await post(url, { jsonrpc: '2.0', id: 1, method, params: [] }, headers)
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    return result ?? error?.message
  }

  it('takes the size of an untrusted body from --rpc.max-stranger-body-bytes', async () => {
    const sizeOf = async (url: string, size: number) =>
      (await post(url, { jsonrpc: '2.0', id: 1, method: 'rollup_version', params: [], padding: 'x'.repeat(size) })).status
    const untrusted = { 'rpc.trusted': '192.0.2.0/24' }
    const byDefault = await start(untrusted)
    const smaller = await start({ ...untrusted, 'rpc.max-stranger-body-bytes': '2048' })
    assert.deepEqual([await sizeOf(byDefault, 4_000), await sizeOf(smaller, 4_000), await sizeOf(smaller, 100)], [200, 413, 200])
  })

  it('takes a block of 10 MiB by admin_postUnsafePayload, whatever --rpc.max-body-bytes is, and no such body without --rpc.admin', async () => {
    const block = { jsonrpc: '2.0', id: 1, method: 'admin_postUnsafePayload', params: ['f'.repeat(20 * 1024 * 1024 + 200_000)] }
    const sizes = { 'rpc.max-body-bytes': '4096' }
    const [admin, other] = [await start({ ...sizes, 'rpc.admin': 'true' }), await start(sizes)]
    assert.deepEqual(await (await post(admin, block)).json(), { jsonrpc: '2.0', id: 1, result: null })
    assert.equal((await post(admin, block, { 'x-forwarded-for': '203.0.113.7' })).status, 413)
    assert.equal((await post(other, block)).status, 413)
  })

  it('serves no admin_* unless told to', async () => {
    const url = await start({})
    assert.equal(await call(url, 'rollup_version'), 'v1')
    assert.match(String(await call(url, 'admin_stopSequencer')), /admin_stopSequencer.*(not|exist)/)
  })

  it('serves admin_* on this machine, and not to what a proxy here forwards', async () => {
    const url = await start({ 'rpc.admin': 'true' })
    assert.equal(await call(url, 'admin_stopSequencer'), '0x00')
    const forwarded = { 'x-forwarded-for': '203.0.113.7' }
    assert.match(String(await call(url, 'admin_stopSequencer', forwarded)), /admin_stopSequencer is for the operator of this node/)
    assert.equal(await call(url, 'rollup_version', forwarded), 'v1')
  })

  it('serves strangers what changes nothing, and admin_* to them with a key only', async () => {
    const keysFile = join(folder, 'keys.json')
    await writeFile(keysFile, JSON.stringify({ keys: [{ name: 'operator', tier: 'developer', sha256: apiKeyDigest('secret') }] }))
    const url = await start({ 'rpc.admin': 'true', 'rpc.trusted': '', 'rpc.keys-file': keysFile })
    assert.equal(await call(url, 'rollup_version'), 'v1')
    assert.match(String(await call(url, 'admin_stopSequencer')), /for the operator of this node.*--rpc\.trusted.*API key/)
    assert.equal(await call(url, 'admin_stopSequencer', { authorization: 'Bearer secret' }), '0x00')
    assert.match(String(await call(url, 'admin_stopSequencer', { authorization: 'Bearer guess' })), /unknown API key/)
  })

  it('limits strangers by rate, and everybody by the size of batches and bodies, web pages and host names', async () => {
    const url = await start({ 'rpc.trusted': '', 'rpc.rate': '0.001', 'rpc.burst': '4', 'rpc.batch-request-limit': '3' })
    const one = { jsonrpc: '2.0', id: 1, method: 'rollup_version', params: [] }
    assert.match(await (await post(url, [one, one, one, one])).text(), /batch too large: 4 calls; at most 3/)
    assert.equal((await post(url, [one, one, one])).status, 200)
    const refused = await post(url, one)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    const trusting = await start({ 'rpc.max-body-bytes': '1024' })
    assert.equal((await post(trusting, { ...one, params: ['x'.repeat(2000)] })).status, 413)
    const page = await post(trusting, one, { origin: 'https://page.example' })
    assert.equal(page.headers.get('access-control-allow-origin'), null)
    const { values } = resolveOptions(rollupRpcOptions, { flags: {} })
    assert.deepEqual(rollupRpcServer(values).virtualHosts, ['localhost'])
  })
})
