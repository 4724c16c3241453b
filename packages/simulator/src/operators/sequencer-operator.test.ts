import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { runFaults } from '../faults/run-faults.ts'
import { Judges } from '../judges/judges.ts'
import { buildL2Start } from '../roles/rollup-network.ts'
import { RollupWorld } from '../roles/rollup-world.ts'

const START_MS = 1_800_000_000_000
const SECOND_MS = 1_000

describe('the operator of a sequencer', function () {
  this.timeout(300_000)

  it('stops it over its restart, starts it on its head and not on an old one, and it catches up', async () => {
    const crypto = createNativeCrypto()
    const l2 = await buildL2Start(START_MS / 1000, crypto)
    const logger = () => createSilentLogger()
    const world = new RollupWorld({ seed: 1, startMs: START_MS, validators: 1, transactionsPerSec: 1, crypto, l2, logger })
    const judges = new Judges(world, 180 * SECOND_MS)
    world.start()
    judges.start()
    runFaults(world, [
      { kind: 'sequencer-stop', victim: 'sequencer', atMs: 60 * SECOND_MS, durationMs: 40 * SECOND_MS, parameters: { onOldHead: true } },
      { kind: 'restart', victim: 'sequencer/consensus', atMs: 70 * SECOND_MS, durationMs: 0, parameters: {} },
      { kind: 'sequencer-stop', victim: 'sequencer', atMs: 80 * SECOND_MS, durationMs: 10 * SECOND_MS, parameters: { onOldHead: false } },
    ])
    const blocksAt = async (seconds: number) => {
      await world.simulation.run(START_MS + seconds * SECOND_MS)
      return world.nodes[0]?.running?.consensus.driver.heads?.unsafe.number ?? 0
    }
    const [stopped, later, caughtUp] = [await blocksAt(65), await blocksAt(99), await blocksAt(120)]
    assert.ok(stopped >= 28, `${stopped} blocks`)
    assert.equal(later, stopped)
    assert.ok(caughtUp >= 58, `${caughtUp} blocks`)
    assert.equal(world.operator.refused, 1)
    await blocksAt(200)
    assert.deepEqual(judges.violations, [])
  })
})
