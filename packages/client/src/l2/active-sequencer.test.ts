import assert from 'node:assert/strict'
import { type SyncStatus, syncStatusToJson, ZERO_L1_REF, ZERO_L2_REF } from '@keelson/primitives'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { createFakeRpc } from '../fake-rpc.test-support.ts'
import { createActiveSequencer } from './active-sequencer.ts'

const AT_GENESIS: SyncStatus = {
  currentL1: ZERO_L1_REF,
  headL1: ZERO_L1_REF,
  safeL1: ZERO_L1_REF,
  finalizedL1: ZERO_L1_REF,
  unsafeL2: ZERO_L2_REF,
  safeL2: ZERO_L2_REF,
  finalizedL2: ZERO_L2_REF,
  pendingSafeL2: ZERO_L2_REF,
  queuedUnsafeL2: null,
}

function setup() {
  const clock = createManualClock()
  const state = [true, false, false] as (boolean | null)[]
  const heads = [0, 0, 0]
  const rollups = state.map((_, i) =>
    createFakeRpc({
      admin_sequencerActive: () => {
        if (state[i] === null) throw new Error('connection refused')
        return state[i]
      },
      optimism_syncStatus: () => syncStatusToJson({ ...AT_GENESIS, unsafeL2: { ...ZERO_L2_REF, number: heads[i] as number } }),
    }),
  )
  const nodes = state.map((_, i) =>
    createFakeRpc({
      eth_blockNumber: () => {
        if (state[i] === null) throw new Error('connection refused')
        return i
      },
    }),
  )
  const l2 = createActiveSequencer(rollups, { clock, log: createSilentLogger() }).route(nodes)
  return { clock, state, heads, rollups, l2, ask: () => l2.call('eth_blockNumber', []) }
}

describe('the active sequencer', () => {
  it('is asked, and asked who seals no more often than every 2 s', async () => {
    const { clock, rollups, ask } = setup()
    assert.deepEqual([await ask(), await ask(), await ask()], [0, 0, 0])
    assert.equal(rollups[0]?.calls.length, 1)
    await clock.advance(2_001)
    await ask()
    assert.equal(rollups[0]?.calls.length, 2)
  })

  it('is followed to another node when that seals', async () => {
    const { clock, state, ask } = setup()
    await ask()
    state[0] = false
    state[2] = true
    await clock.advance(2_001)
    assert.equal(await ask(), 2)
  })

  it('is the one with the higher chain while a former leader that is cut off still says that it seals', async () => {
    const { clock, state, heads, ask } = setup()
    await ask()
    heads.splice(0, 3, 7, 0, 8)
    state[2] = true
    await clock.advance(2_001)
    await ask()
    await clock.advance(0)
    assert.equal(await ask(), 2)
  })

  it('is the one that began last while both have the same chain', async () => {
    const { clock, state, ask } = setup()
    await ask()
    state[1] = true
    await clock.advance(2_001)
    await ask()
    await clock.advance(0)
    assert.equal(await ask(), 1)
    await clock.advance(2_001)
    await ask()
    await clock.advance(0)
    assert.equal(await ask(), 1)
  })

  it('is asked without waiting for a standby that hangs', async () => {
    const hanging = { ...createFakeRpc({}), call: () => new Promise<never>(() => undefined) }
    const sealing = createFakeRpc({ admin_sequencerActive: () => true })
    const dependencies = { clock: createManualClock(), log: createSilentLogger() }
    const l2 = createActiveSequencer([sealing, hanging], dependencies).route([createFakeRpc({ eth_blockNumber: () => 5 }), hanging])
    assert.equal(await l2.call('eth_blockNumber', []), 5)
  })

  it('is looked for at once after a failed call', async () => {
    const { state, ask } = setup()
    await ask()
    state[0] = null
    state[1] = true
    await assert.rejects(ask(), /connection refused/)
    assert.equal(await ask(), 1)
  })

  it('is replaced by a node that answers while none seals', async () => {
    const { state, ask } = setup()
    state[0] = false
    assert.equal(await ask(), 0)
    state[0] = null
    await assert.rejects(ask())
    assert.equal(await ask(), 1)
  })

  it('answers batches too, and names its host', async () => {
    const { l2 } = setup()
    assert.deepEqual(await l2.batch([{ method: 'eth_blockNumber', params: [] }]), [{ ok: true, result: 0 }])
    assert.equal(l2.host, 'fake.example')
  })
})
