import assert from 'node:assert/strict'
import { definitionsIn } from './definitions.ts'
import { unknownMetrics } from './used-metrics.ts'

describe('the metrics in a source file', () => {
  it('are read with kind, labels and help, also over several lines and from a constant', () => {
    const source = `
      const help = 'Seconds until a fork'
      metrics.gauge('fork_in_seconds', help, ['fork'], () => [])
      const blocks = metrics?.counter(
        'blocks_total',
        'Blocks, (by "outcome")',
        ['outcome', 'fork'],
      )
      metrics.histogram('seconds', 'Time', [], [1, 2])
    `
    assert.deepEqual(definitionsIn('packages/batcher/src/metrics.ts', source), [
      { client: 'batcher', name: 'keelson_batcher_fork_in_seconds', kind: 'gauge', labels: ['fork'], help: 'Seconds until a fork' },
      {
        client: 'batcher',
        name: 'keelson_batcher_blocks_total',
        kind: 'counter',
        labels: ['outcome', 'fork'],
        help: 'Blocks, (by "outcome")',
      },
      { client: 'batcher', name: 'keelson_batcher_seconds', kind: 'histogram', labels: [], help: 'Time' },
    ])
  })

  it('exist once for each client and each word of a template', () => {
    const source = 'deps.metrics?.gauge(`$' + '{prefix}_balance_low`, `1 while the $' + '{chain} account is low`)'
    const found = definitionsIn('packages/client/src/tx/balance-watch.ts', source)
    assert.deepEqual(
      found.map(({ name }) => name),
      [
        'keelson_batcher_l1_balance_low',
        'keelson_proposer_l1_balance_low',
        'keelson_validator_l2_balance_low',
        'keelson_watcher_l2_balance_low',
      ],
    )
    assert.equal(found[0]?.help, '1 while the L1 account is low')
  })

  it('are refused when a name cannot be read or a folder has no client', () => {
    assert.throws(() => definitionsIn('packages/batcher/src/metrics.ts', "metrics.gauge(which(), 'Help')"), /no literal name and help/)
    assert.throws(() => definitionsIn('packages/new/src/metrics.ts', "metrics.gauge('head', 'Help')"), /add its clients/)
  })
})

describe('the metrics of an expression', () => {
  const definitions = [
    { name: 'keelson_batcher_seconds', kind: 'histogram' },
    { name: 'keelson_batcher_head', kind: 'gauge' },
  ] as const

  it('are known with the series of histograms and by pattern', () => {
    const expression = 'rate(keelson_batcher_seconds_bucket{le="keelson_x"}[5m]) > keelson_batcher_head and {__name__=~"keelson_.*_head"}'
    assert.deepEqual(unknownMetrics(expression, definitions), [])
  })

  it('are named when no client defines them', () => {
    const expression = 'keelson_batcher_tail + keelson_batcher_seconds + keelson_batcher_head_sum > {__name__=~"keelson_.*_tail"}'
    assert.deepEqual(unknownMetrics(expression, definitions), [
      'keelson_.*_tail',
      'keelson_batcher_tail',
      'keelson_batcher_seconds',
      'keelson_batcher_head_sum',
    ])
  })
})
