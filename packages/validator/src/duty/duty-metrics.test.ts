import assert from 'node:assert/strict'
import { createMetrics } from '@keelson/runtime'
import { createDutyMetrics } from './duty-metrics.ts'

describe('metrics of the duty loop', () => {
  it('count the missed attestations of a key from zero, as soon as the key was looked at', async () => {
    const metrics = createMetrics('validator')
    const duty = createDutyMetrics(metrics, 2)
    const key = `0x${'11'.repeat(20)}`
    const position = { key, record: null, duty: { lastEpoch: 0 }, silentEpochs: 0, weightWei: 0n }
    const terms = { penaltyWei: 0n }
    duty.looked({ keys: [position], shortfallWei: 0n, accounts: { poolWei: 0n } } as never, terms as never)
    duty.missed(key as never)
    duty.looked({ keys: [position], shortfallWei: 0n, accounts: { poolWei: 0n } } as never, terms as never)
    const { text } = await metrics.render()
    for (const line of [
      `validator_missed_attestations_total{key="${key}"} 1`,
      `validator_attestations_total{key="${key}",timeliness="in-time"} 0`,
      `validator_attestations_total{key="${key}",timeliness="late"} 0`,
    ])
      assert.ok(text.includes(`${line}\n`), line)
  })
})
