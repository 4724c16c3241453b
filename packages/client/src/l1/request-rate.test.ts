import assert from 'node:assert/strict'
import { createManualClock, createMetrics } from '@keelson/runtime'
import { createRequestRate, estimateRequestsPerHour } from './request-rate.ts'

describe('L1 calls per hour', () => {
  it('are counted by method over the last hour, and told as a metric', async () => {
    const clock = createManualClock()
    const metrics = createMetrics('keelson_test')
    const rate = createRequestRate(clock, metrics)
    for (let minute = 0; minute < 90; minute++) {
      for (let i = 0; i < 10; i++) rate.note('eth_getBlockByNumber')
      if (minute < 30) rate.note('eth_getBlockReceipts')
      await clock.advance(60_000)
    }
    const found = new Map(rate.perHour())
    assert.equal(found.get('eth_getBlockByNumber'), 600)
    assert.equal(found.get('eth_getBlockReceipts'), 0)
    const { text } = await metrics.render()
    assert.match(text, /keelson_test_l1_requests_per_hour\{method="eth_getBlockByNumber"\} 600/)
    assert.match(text, /keelson_test_l1_requests_total\{method="eth_getBlockReceipts"\} 30/)
  })

  it('are projected from what was asked so far in the first hour', async () => {
    const clock = createManualClock()
    const rate = createRequestRate(clock)
    for (let minute = 0; minute < 6; minute++) {
      rate.note('eth_call')
      await clock.advance(60_000)
    }
    assert.deepEqual(rate.perHour(), [['eth_call', 60]])
  })

  it('are estimated from the block time of L1 and the interval of looking', () => {
    const mainnet = estimateRequestsPerHour({ l1BlockTimeSec: 12, pollIntervalMs: 1000, sequencer: false })
    assert.ok(mainnet > 3600 && mainnet < 10_000, `${mainnet}`)
    assert.ok(estimateRequestsPerHour({ l1BlockTimeSec: 12, pollIntervalMs: 12_000, sequencer: false }) < mainnet - 3000)
    assert.ok(estimateRequestsPerHour({ l1BlockTimeSec: 2, pollIntervalMs: 1000, sequencer: true }) > mainnet)
  })
})
