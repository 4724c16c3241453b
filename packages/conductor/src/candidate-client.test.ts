import assert from 'node:assert/strict'
import { ZERO_HASH } from '@keelson/primitives'
import { methodNotFound } from '@keelson/runtime'
import { createCandidateClient } from './candidate-client.ts'

const REF = { hash: ZERO_HASH, number: 1, parentHash: ZERO_HASH, timestamp: 1_800_000_000 }
const L2_REF = { ...REF, l1origin: { hash: ZERO_HASH, number: 1 }, sequenceNumber: 0 }
const STATUS = {
  ...Object.fromEntries(['current_l1', 'current_l1_finalized', 'head_l1', 'safe_l1', 'finalized_l1'].map((name) => [name, REF])),
  ...Object.fromEntries(['unsafe_l2', 'local_safe_l2', 'safe_l2', 'finalized_l2', 'cross_unsafe_l2'].map((name) => [name, L2_REF])),
}

describe('a candidate over JSON-RPC', () => {
  const candidate = (answers: Readonly<Record<string, () => unknown>>) =>
    createCandidateClient('a', 'memory:a', async (method) => {
      const answer = { optimism_syncStatus: () => STATUS, opp2p_peerStats: () => ({ connected: 2 }), ...answers }[method]
      if (answer === undefined) throw methodNotFound(method)
      return answer()
    })

  it('is not overridden when it is an op-node, which cannot say so', async () => {
    const { active, overridden, peers } = await candidate({ admin_sequencerActive: () => true }).status()
    assert.deepEqual([active, overridden, peers], [true, false, 2])
  })

  it('is not seen active without its override when an operator starts it between the calls', async () => {
    let isStarted = false
    const started = candidate({
      admin_leaderOverridden: () => isStarted,
      admin_sequencerActive() {
        isStarted = true
        return true
      },
    })
    const { active, overridden } = await started.status()
    assert.deepEqual([active, overridden], [true, true])
  })

  it('has no state when it does not say whether it is overridden', async () => {
    const silent = candidate({
      admin_sequencerActive: () => true,
      admin_leaderOverridden() {
        throw new Error('connection reset')
      },
    })
    await assert.rejects(silent.status(), /connection reset/)
  })
})
