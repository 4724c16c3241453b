import assert from 'node:assert/strict'
import type { DropEvent } from '@keelson/derivation'
import { ZERO_HASH } from '@keelson/primitives'
import { createMetrics } from '@keelson/runtime'
import { createConsensusMetrics } from './metrics.ts'

describe('metrics of what derivation drops', () => {
  it('count each drop by stage and reason', async () => {
    const registry = createMetrics('keelson_consensus')
    const metrics = createConsensusMetrics(registry)
    const event = (stage: DropEvent['stage'], reason: DropEvent['reason']): DropEvent => ({
      stage,
      reason,
      l1Origin: { number: 1, hash: ZERO_HASH },
      details: {},
    })
    metrics.dropped(event('batch-queue', 'batch-in-past'))
    metrics.dropped(event('batch-queue', 'batch-in-past'))
    metrics.dropped(event('batch-stream', 'span-batch-given-up'))
    const { text } = await registry.render()
    const lines = text.split('\n').filter((line) => line.startsWith('keelson_consensus_derivation_dropped_total'))
    assert.equal(lines.filter((line) => /\{stage="[a-z0-9-]+"\} 0$/.test(line)).length, 9, 'every stage starts at zero')
    assert.deepEqual(
      lines.filter((line) => !line.endsWith(' 0')),
      [
        'keelson_consensus_derivation_dropped_total{stage="batch-queue",reason="batch-in-past"} 2',
        'keelson_consensus_derivation_dropped_total{stage="batch-stream",reason="span-batch-given-up"} 1',
      ],
    )
  })
})
