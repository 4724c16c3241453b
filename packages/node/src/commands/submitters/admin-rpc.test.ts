import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJwt, createManualClock, createSilentLogger, loadJwtSecret } from '@keelson/runtime'
import { openAdminRpc } from './admin-rpc.ts'

describe('the admin RPC of batcher and proposer', () => {
  const clock = createManualClock(1_800_000_000_000)
  let folder: string
  let stops = 0
  const open = (adminHost: string, adminJwtSecret: string | null) => {
    const methods = { admin_stopBatcher: () => ++stops }
    return openAdminRpc({ adminHost, adminPort: 0, adminJwtSecret }, { methods, log: createSilentLogger(), clock })
  }
  const stopBatcher = (url: string, headers: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'admin_stopBatcher', params: [] }),
    })
  beforeEach(async () => {
    stops = 0
    folder = await mkdtemp(join(tmpdir(), 'keelson-admin-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('does not listen beyond loopback without a secret, and names the option', async () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.7', 'batcher.example'])
      await assert.rejects(open(host, null), {
        code: 'node/usage',
        message: /set --admin\.jwt-secret FILE, or --admin\.host 127\.0\.0\.1$/,
      })
  })

  it('a program that reaches the port cannot stop the batcher without a token of the secret', async () => {
    const path = join(folder, 'admin.hex')
    const server = await open('0.0.0.0', path)
    await server.start(new AbortController().signal)
    const url = `http://127.0.0.1:${server.address.port}`
    try {
      const other = (await loadJwtSecret(join(folder, 'other.hex'), { create: true })).secret
      for (const headers of [{}, { authorization: `Bearer ${await createJwt(other, clock)}` }] as Record<string, string>[]) {
        const refused = await stopBatcher(url, headers)
        assert.equal(refused.status, 401)
        assert.match(await refused.text(), /admin RPC takes tokens signed with the file of --admin\.jwt-secret/)
      }
      assert.equal(stops, 0)
      const { secret } = await loadJwtSecret(path)
      const allowed = await stopBatcher(url, { authorization: `Bearer ${await createJwt(secret, clock)}` })
      assert.deepEqual(await allowed.json(), { jsonrpc: '2.0', id: 1, result: 1 })
    } finally {
      await server.stop()
    }
  })

  it('serves callers on this machine without a secret', async () => {
    const server = await open('127.0.0.1', null)
    await server.start(new AbortController().signal)
    try {
      assert.equal((await stopBatcher(server.httpUrl, {})).status, 200)
      assert.equal(stops, 1)
    } finally {
      await server.stop()
    }
  })
})
