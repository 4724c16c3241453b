/** Incident: a node missed an upgrade and followed its own chain for twelve hours without an error. */
import assert from 'node:assert/strict'
import type { ForkTimes } from '@keelson/chainspec'
import type { DegradedState } from '@keelson/consensus'
import { createExecutionWorld } from '../../support/execution-world.ts'
import { JOVIAN_FROM_GENESIS, makeRollupConfig } from '../../support/rollup-config.ts'
import { createWorld } from '../../support/world.ts'

const GENESIS_SEC = 1_800_000_000
const UPGRADE_SEC = 20
const FIRST_BLOCK = UPGRADE_SEC / 2

describe('incident: a node that missed an upgrade', () => {
  it('logs the block at which its peers part from it, and makes no block of its own there', async () => {
    const { isthmus, jovian, ...before } = JOVIAN_FROM_GENESIS as Required<ForkTimes>
    assert.deepEqual([isthmus, jovian], [0, 0])
    const world = await createWorld({ forks: { ...before, isthmus: GENESIS_SEC + UPGRADE_SEC } })
    const { config, clock, l1 } = world
    const gasLimit = 30_000_000n
    const old = await createExecutionWorld({ chainId: config.l2ChainId, forks: before, genesisTimestampSec: GENESIS_SEC, gasLimit, clock })
    const oldConfig = makeRollupConfig({
      l1ChainId: l1.chain.chainId,
      l2ChainId: config.l2ChainId,
      l1Genesis: l1.genesis,
      l2Genesis: old.genesis,
      batcher: config.genesis.systemConfig.batcherAddress,
      forks: before,
      gasLimit,
      blockTimeSec: config.blockTimeSec,
    })
    const missed = await world.addFollower('old', {
      wire: (real) => ({ ...real, config: oldConfig, engine: old.engine, l2: old.l2Source }),
    })
    const states = (): readonly DegradedState[] => missed.consensus.driver.degraded
    const upgraded = await world.addFollower('new')
    await world.advance(UPGRADE_SEC - 2)
    assert.equal(missed.heads().unsafe, FIRST_BLOCK - 1)
    assert.deepEqual(states(), [])
    await world.advance(10)
    const state = states().find(({ what }) => what.startsWith('forked'))
    assert.equal(state?.what, `forked from peers at block ${FIRST_BLOCK}`)
    assert.match(state?.why ?? '', new RegExp(`rejects block ${FIRST_BLOCK} .*which the sequencer signed`))
    assert.match(state?.remedy ?? '', /compare the fork schedule/)
    assert.equal(missed.log.matching('forked from peers').length, 1)

    await world.batch()
    await world.advance(12)
    assert.equal(missed.heads().safe, FIRST_BLOCK - 1)
    assert.equal(await old.l2Source.payload(FIRST_BLOCK), null)
    assert.deepEqual(
      states().map(({ what }) => what),
      [`stopped before block ${FIRST_BLOCK}: the chain has moved past this release`],
    )
    assert.deepEqual(upgraded.consensus.driver.degraded, [])
    assert.equal(upgraded.heads().unsafe, world.sequencer.heads().unsafe)
    await old.stop()
    await world.stop()
  })
})
