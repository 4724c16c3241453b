import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { toAddress, toHash } from '@keelson/primitives'
import { createSilentLogger } from '@keelson/runtime'
import { buildL2Start } from '../../roles/rollup-network.ts'
import { RollupWorld } from '../../roles/rollup-world.ts'
import type { RunningNode } from '../../roles/simulated-node.ts'
import { type UnsafeState, unsafeStateOf } from '../unsafe-state.ts'
import { judgeStakes, validatorAt } from './stake-judge.ts'

const START_MS = 1_800_000_000_000
const MINUTE_MS = 60_000
const STRANGER = toAddress(`0x${'11'.repeat(20)}`)

describe('the judge of stakes', function () {
  this.timeout(120_000)
  const crypto = createNativeCrypto()
  let world: RollupWorld
  let node: RunningNode
  let state: UnsafeState

  before(async () => {
    const l2 = await buildL2Start(START_MS / 1000, crypto)
    const logger = () => createSilentLogger()
    world = new RollupWorld({ seed: 1, startMs: START_MS, validators: 1, transactionsPerSec: 0, staking: true, crypto, l2, logger })
    world.start()
    await world.simulation.run(START_MS + MINUTE_MS)
    node = world.nodes[0]?.running as RunningNode
    state = unsafeStateOf(node)
  })

  it('is content with an honest validator, and with a key that is not registered', async () => {
    const key = world.stakers?.keyOf('validator-1')
    assert.ok(key !== undefined)
    const broken: string[] = []
    await judgeStakes([key, STRANGER], 'sequencer', node, (rule) => broken.push(rule))
    assert.deepEqual(broken, [])
    assert.equal((await validatorAt(state, key))?.slashed, false)
    assert.equal(await validatorAt(state, STRANGER), null)
  })

  it('does not take a call that fails for a key that is not registered', async () => {
    const noBlock = toHash(`0x${'22'.repeat(32)}`)
    await assert.rejects(validatorAt({ call: (to, data) => state.call(to, data, noBlock) }, STRANGER))
    const noCode: UnsafeState['call'] = (_to, data) => state.call(STRANGER, data)
    await assert.rejects(validatorAt({ call: noCode }, STRANGER))
  })
})
