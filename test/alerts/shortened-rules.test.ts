import assert from 'node:assert/strict'
import { shortenRules } from './shortened-rules.ts'

describe('shortened alert rules', () => {
  it('divide durations and ranges, keep thresholds and sentences, and leave room for scrapes', () => {
    const rule = {
      alert: 'Missed',
      expr: 'increase(missed_total[1h]) > 60 and delta(head[1m]) == 0',
      for: '10m',
      labels: { severity: 'critical' },
      annotations: { summary: 'Blocks were missed in [1h].', action: 'See the log.', runbook_url: 'alerts.md#missed' },
    }
    assert.deepEqual(shortenRules({ groups: [{ name: 'one', rules: [rule] }] }, 20), {
      groups: [{ name: 'one', rules: [{ ...rule, expr: 'increase(missed_total[180s]) > 60 and delta(head[5s]) == 0', for: '30s' }] }],
    })
    const patient = shortenRules({ groups: [{ name: 'one', rules: [{ ...rule, for: '15s' }] }] }, 20, 40).groups[0]?.rules[0]
    assert.deepEqual([patient?.expr, patient?.for], ['increase(missed_total[180s]) > 60 and delta(head[40s]) == 0', '15s'])
    assert.throws(() => shortenRules({ groups: [{ name: 'one', rules: [{ ...rule, for: '1w' }] }] }, 20), /1w is not a number/)
  })
})
