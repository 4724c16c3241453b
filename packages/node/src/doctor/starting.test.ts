import assert from 'node:assert/strict'
import { readinessCheck } from './checks/running-node.ts'
import type { DoctorCheck, DoctorContext } from './doctor-context.ts'
import { closeServer, openServer } from './faults.test-support.ts'
import { fail } from './finding.ts'
import { createProbe } from './probe.ts'
import { renderFinding, renderVerdict } from './render-finding.ts'
import { exitCodeOf, runDoctor } from './run-doctor.ts'

const CHECKS = [{ name: 'derivation', ok: false, text: 'derivation is 14 L1 blocks behind L1; wait while it catches up' }]

/** Examines a node whose health port sends `body`. */
async function examine(checks: readonly DoctorCheck[], body: object) {
  const { server, url } = await openServer((_request, response) => response.writeHead(503).end(JSON.stringify(body)))
  const probe = createProbe({ timeoutMs: 2_000, nowMs: Date.now })
  try {
    const settings = { health: [url] } as unknown as DoctorContext['settings']
    const findings = await runDoctor(checks, { settings, probe, otherNetwork: false } as DoctorContext, () => undefined)
    return { findings, lines: findings.map(renderFinding), verdict: renderVerdict(findings), exitCode: exitCodeOf(findings) }
  } finally {
    probe.close()
    await closeServer(server)
  }
}

describe('doctor on a node that is not ready', () => {
  for (const ageSec of [0, 40, 179]) {
    it(`finds no fault ${ageSec} s after its start, but a reason to ask again`, async () => {
      const { lines, verdict, exitCode } = await examine([readinessCheck], {
        ready: false,
        checks: CHECKS,
        timeMs: 1_000_000 + ageSec * 1000,
        startedMs: 1_000_000,
      })
      const later = `it started ${ageSec} s ago: run this again in ${180 - ageSec} s; if it is the same then, wait while it catches up`
      assert.match(lines.join(), new RegExp(`^WAIT {2}readiness .* derivation is 14 L1 blocks behind L1; ${later}$`))
      assert.equal(verdict, 'nothing is wrong; still starting: 1 check to repeat')
      // EX_TEMPFAIL of sysexits.h.
      assert.equal(exitCode, 75)
    })
  }

  for (const [what, times] of [
    ['180 s after its start', { timeMs: 180_000, startedMs: 0 }],
    ['if it does not say when it started', { timeMs: 180_000 }],
  ] as const) {
    it(`finds a fault ${what}`, async () => {
      const { lines, exitCode } = await examine([readinessCheck], { ready: false, checks: CHECKS, ...times })
      assert.match(lines.join(), /^FAIL {2}readiness .*; wait while it catches up$/)
      assert.equal(exitCode, 1)
    })
  }

  it('finds a fault that no start explains', async () => {
    const check = { name: 'l1', run: async () => fail('L1 does not answer', 'ECONNREFUSED', 'start it') }
    const { lines, exitCode } = await examine([check, readinessCheck], { ready: false, checks: CHECKS, timeMs: 40_000, startedMs: 0 })
    assert.match(lines[0] as string, /^FAIL {2}l1/)
    assert.match(lines[1] as string, /^WAIT/)
    assert.equal(exitCode, 1)
  })
})
