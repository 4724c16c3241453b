import assert from 'node:assert/strict'
import { createMetrics } from './metrics.ts'

describe('metrics', () => {
  it('renders counters, gauges and histograms under its prefix', async () => {
    const metrics = createMetrics('role')
    metrics.counter('blocks_total', 'Blocks').inc()
    metrics.counter('blocks_total', 'Blocks').inc(2)
    metrics.counter('dropped_total', 'Dropped, by reason', ['reason']).inc(4, { reason: 'late' })
    metrics.gauge('head', 'Head').set(9)
    metrics.gauge('age', 'Age', [], () => 11)
    metrics.gauge('age', 'Age', [], () => 12)
    metrics.gauge('held_bytes', 'Held', ['cache'], () => [
      [{ cache: 'a' }, 5],
      [{ cache: 'b' }, 6],
    ])
    metrics.histogram('seconds', 'Time', [], [1, 2]).observe(1.5)
    const { text, contentType } = await metrics.render()
    assert.match(contentType, /text\/plain/)
    for (const line of [
      'role_blocks_total 3',
      'role_dropped_total{reason="late"} 4',
      'role_head 9',
      'role_age 12',
      'role_held_bytes{cache="a"} 5',
      'role_held_bytes{cache="b"} 6',
      'role_seconds_bucket{le="2"} 1',
    ]) {
      assert.ok(text.split('\n').includes(line), line)
    }
  })

  it('has the series of a counter from its start, so that "no data" means that nothing was scraped', async () => {
    const metrics = createMetrics('role')
    const starts = [{ direction: 'in', reason: 'full' }, { direction: 'out' }]
    metrics.counter('refused_total', 'Refused', ['direction', 'reason'], starts)
    metrics.counter('refused_total', 'Refused', ['direction', 'reason'], starts).inc(1, { direction: 'out', reason: 'banned' })
    metrics.counter('resets_total', 'Resets', ['kind'], [{}])
    const { text } = await metrics.render()
    assert.deepEqual(
      text.split('\n').filter((line) => line.startsWith('role_')),
      [
        'role_refused_total{direction="in",reason="full"} 0',
        'role_refused_total{direction="out"} 0',
        'role_refused_total{direction="out",reason="banned"} 1',
        'role_resets_total 0',
      ],
    )
  })

  it('adds the lag of the event loop and the memory of the process on request', async () => {
    const { text } = await createMetrics('role', { processMetrics: true }).render()
    assert.match(text, /nodejs_eventloop_lag_seconds/)
    assert.match(text, /process_resident_memory_bytes/)
  })
})
