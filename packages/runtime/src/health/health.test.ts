import assert from 'node:assert/strict'
import { createManualClock, createSystemClock } from '../clock.ts'
import { createLogger, createSilentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { createHealthServer } from './health-server.ts'
import { type CheckResult, createReadiness } from './readiness.ts'

describe('readiness', () => {
  it('requires all checks to pass, and reports for each the reason, the time and the remedy', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1))
    const lines: string[] = []
    const log = createLogger({ clock, format: 'human', sink: { terminal: false, write: (line) => lines.push(line) } })
    const metrics = createMetrics('role')
    let l1: CheckResult = { ok: true, detail: 'L1 block 7' }
    const readiness = createReadiness([{ name: 'l1-age', check: () => l1 }], { clock, log, metrics })
    readiness.add({ name: 'disk', check: async () => ({ ok: true }) })
    assert.deepEqual(await readiness.report(), {
      ready: true,
      checks: [
        { name: 'l1-age', ok: true, text: 'L1 block 7', sinceMs: clock.nowMs() },
        { name: 'disk', ok: true, text: 'ok', sinceMs: clock.nowMs() },
      ],
    })
    await clock.advance(60_000)
    l1 = { ok: false, reason: 'no new L1 block', remedy: 'check --l1.rpc' }
    const bad = await readiness.report()
    assert.equal(bad.ready, false)
    assert.equal(bad.checks[0]?.text, 'no new L1 block (since 2026-01-01T00:01:00Z); check --l1.rpc')
    await clock.advance(60_000)
    assert.equal((await readiness.report()).checks[0]?.sinceMs, Date.UTC(2026, 0, 1, 0, 1))
    assert.match((await metrics.render()).text, /role_ready_check\{check="l1-age"\} 0/)
    l1 = { ok: true }
    assert.equal((await readiness.report()).ready, true)
    assert.equal(lines.length, 2)
    assert.match(lines[0] as string, /WARN .*not ready: l1-age: no new L1 block \(since .*check --l1\.rpc/)
    assert.match(lines[1] as string, /INFO .*l1-age recovered.*afterSec=60/)
  })

  it('logs a reason that several checks share once, also at the start', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1))
    const lines: string[] = []
    const log = createLogger({ clock, format: 'human', sink: { terminal: false, write: (line) => lines.push(line) } })
    const starting: CheckResult = { ok: false, reason: 'starting', remedy: 'wait' }
    const checks = ['head-age', 'l1-age', 'derivation'].map((name) => ({ name, check: () => starting }))
    const readiness = createReadiness([...checks, { name: 'peers', check: () => ({ ok: false, reason: '0 peers' }) }], { clock, log })
    await readiness.report()
    assert.equal((await readiness.report()).checks.length, 4)
    assert.equal(lines.length, 2)
    assert.match(lines[0] as string, /not ready: head-age, l1-age, derivation: starting \(since .*; wait/)
    assert.match(lines[1] as string, /not ready: peers: 0 peers/)
  })

  it('counts a check that throws or hangs as failed', async () => {
    const clock = createManualClock()
    const readiness = createReadiness(
      [
        {
          name: 'throws',
          check: () => {
            throw new Error('broken')
          },
        },
        { name: 'hangs', check: () => new Promise(() => undefined) },
      ],
      { clock, log: createSilentLogger() },
    )
    const report = readiness.report()
    await clock.advance(2000)
    const texts = (await report).checks.map(({ text }) => text)
    assert.match(texts[0] as string, /the check failed: broken/)
    assert.match(texts[1] as string, /did not finish within 2 s/)
  })
})

describe('health server', () => {
  it('serves a separate check at its own path, which does not make the role unready', async () => {
    const shared = { clock: createSystemClock(), log: createSilentLogger() }
    let leads = false
    const leader = {
      name: 'leader',
      check: () => (leads ? { ok: true as const, detail: 'one' } : { ok: false as const, reason: 'two leads' }),
    }
    const server = createHealthServer(
      { host: '127.0.0.1', port: 0, virtualHosts: [] },
      { metrics: createMetrics('role'), readiness: createReadiness([], shared), separate: [leader], ...shared },
    )
    const stopping = new AbortController()
    await server.start(stopping.signal)
    const get = async (path: string) => {
      const response = await fetch(server.url + path)
      return [response.status, await response.text()]
    }
    assert.deepEqual(await get('/leader'), [503, 'two leads\n'])
    leads = true
    assert.deepEqual(await get('/leader'), [200, 'one\n'])
    assert.deepEqual(await get('/readyz'), [200, 'ready\n'])
    assert.deepEqual(await get('/other'), [404, 'not found: this port serves /metrics, /livez, /readyz, /healthz, /leader\n'])
    stopping.abort()
    await server.stop()
  })

  it('serves metrics, liveness and readiness with reasons', async () => {
    const clock = createSystemClock()
    const log = createSilentLogger()
    const metrics = createMetrics('role')
    metrics.gauge('head', 'Head').set(12)
    let ok = false
    const readiness = createReadiness([{ name: 'head-age', check: () => (ok ? { ok } : { ok, reason: 'no block for 90 s' }) }], {
      clock,
      log,
    })
    const server = createHealthServer({ host: '127.0.0.1', port: 0, virtualHosts: [] }, { metrics, readiness, clock, log })
    const stopping = new AbortController()
    await server.start(stopping.signal)
    const get = async (path: string) => {
      const response = await fetch(server.url + path)
      return { status: response.status, text: await response.text() }
    }
    try {
      assert.match((await get('/metrics')).text, /role_head 12/)
      assert.deepEqual(await get('/livez'), { status: 200, text: 'ok\n' })
      const bad = await get('/readyz?verbose')
      assert.equal(bad.status, 503)
      assert.match(bad.text, /^\[-\] head-age: no block for 90 s \(since .*\)\nnot ready\n$/)
      const { checks, timeMs, startedMs } = JSON.parse((await get('/healthz')).text)
      assert.equal(checks[0].ok, false)
      assert.ok(startedMs <= timeMs && timeMs <= clock.nowMs(), 'the time of the start is before now')
      ok = true
      assert.deepEqual(await get('/readyz'), { status: 200, text: '[+] head-age: ok\nready\n' })
      assert.equal((await get('/')).status, 404)
      const page = await fetch(`${server.url}/`, { headers: { accept: 'text/html,*/*' } })
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(await page.text(), /<a href="\/metrics">/)
    } finally {
      stopping.abort()
      await server.stop()
    }
  })
})
