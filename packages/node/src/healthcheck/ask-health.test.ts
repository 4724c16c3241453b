import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHealthServer, createMetrics, createReadiness, createSilentLogger, createSystemClock } from '@keelson/runtime'
import { askHealth } from './ask-health.ts'

const clock = createSystemClock()
const log = createSilentLogger()
const TIMEOUT_MS = 5_000

describe('the health of a role', () => {
  it('a role that answers and is not ready is alive, and the failing checks are named', async () => {
    let ok = false
    const readiness = createReadiness([{ name: 'head-age', check: () => (ok ? { ok } : { ok, reason: 'no block for 90 s' }) }], {
      clock,
      log,
    })
    const server = createHealthServer(
      { host: '127.0.0.1', port: 0, virtualHosts: [] },
      { metrics: createMetrics('role'), readiness, clock, log },
    )
    const stopping = new AbortController()
    await server.start(stopping.signal)
    try {
      const ask = () => askHealth({ kind: 'report', url: `${server.url}/healthz` }, TIMEOUT_MS)
      const bad = await ask()
      assert.deepEqual([bad.alive, bad.ready], [true, false])
      assert.match(bad.text, /^not ready: head-age: no block for 90 s/)
      ok = true
      assert.deepEqual(await ask(), { alive: true, ready: true, text: 'ready' })
    } finally {
      stopping.abort()
      await server.stop()
    }
  })

  it('a port that nobody listens on, and one that never answers, are not alive', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/healthz`
    try {
      const late = await askHealth({ kind: 'report', url }, 50)
      assert.deepEqual([late.alive, late.ready], [false, false])
      assert.match(late.text, /50 ms|did not answer|time/i)
    } finally {
      silent.closeAllConnections()
      await new Promise((resolve) => silent.close(resolve))
    }
    const gone = await askHealth({ kind: 'answer', url }, TIMEOUT_MS)
    assert.deepEqual([gone.alive, gone.ready], [false, false])
  })

  it('another program on the port is not a healthy role', async () => {
    const other = createServer((_, response) => response.writeHead(404).end('<html>'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    try {
      const url = `http://127.0.0.1:${port}/healthz`
      assert.equal((await askHealth({ kind: 'report', url }, TIMEOUT_MS)).alive, false)
      assert.equal((await askHealth({ kind: 'answer', url }, TIMEOUT_MS)).ready, false)
    } finally {
      other.closeAllConnections()
      await new Promise((resolve) => other.close(resolve))
    }
  })
})
