import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createManualClock, createMetrics, createSilentLogger } from '@keelson/runtime'
import { createUptimeTracker } from '../uptime/uptime-tracker.ts'
import { createDutyMetrics } from './duty-metrics.ts'

const RULES = readFileSync(new URL('../../../../config/prometheus/alerts.yml', import.meta.url), 'utf8')

describe('the alert rules for validators', () => {
  it('ask for metrics that a validator has', async () => {
    const metrics = createMetrics('keelson_validator')
    createDutyMetrics(metrics, 2)
    createUptimeTracker(
      { keys: [], blockTimeSec: 2 },
      { chain: {} as never, clock: createManualClock(0), log: createSilentLogger(), metrics },
    )
    const { text } = await metrics.render()
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
    const asked = [...RULES.matchAll(/^ +expr: (.*)$/gm)].flatMap(([, expr]) => (expr as string).match(/keelson_validator_\w+/g) ?? [])
    assert.ok(asked.length >= 4)
    assert.deepEqual(
      asked.filter((name) => !known.has(name)),
      [],
    )
  })
})
