import assert from 'node:assert/strict'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { blockToPayload, ZERO_HASH } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { BUCKETS } from '../../packages/state/src/buckets.ts'
import { createExecutionWorld } from '../support/execution-world.ts'

const BLOCKS = 40
const MAX_LAYERS = 4

async function countLayers(store: KeyValueStore): Promise<number> {
  let count = 0
  for await (const _ of store.range(Uint8Array.of(BUCKETS.layer), Uint8Array.of(BUCKETS.layer + 1))) count++
  return count
}

describe('state layers', () => {
  it('do not pile up when blocks arrive faster than they are flattened', async () => {
    const source = await createExecutionWorld()
    const payloads = []
    for (let i = 0; i < BLOCKS; i++) payloads.push(blockToPayload(await source.mine(), true).payload)
    const state = { ...DEFAULT_EXECUTION_OPTIONS.state, keepLayers: 1, maxLayers: MAX_LAYERS }
    const { engine, node, store } = await createExecutionWorld({ options: { state } })
    const counts: number[] = []
    // None waits for the one before it, so the background gets no turn of its own.
    await Promise.all(
      payloads.map(async (payload) => {
        const imported = engine.newPayload(payload, ZERO_HASH)
        const moved = engine.forkchoiceUpdated({ head: payload.blockHash, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
        assert.equal((await imported).status, 'VALID')
        counts.push(await countLayers(store))
        assert.equal((await moved).status.status, 'VALID')
      }),
    )
    assert.ok(Math.max(...counts) <= 2 * MAX_LAYERS + 1, counts.join(' '))
    await node.settled()
    assert.equal(await countLayers(store), MAX_LAYERS)
  })
})
