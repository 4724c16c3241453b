import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { runFaults } from '../faults/run-faults.ts'
import { Judges } from '../judges/judges.ts'
import { judgeLiveness } from '../judges/liveness-judge.ts'
import { buildL2Start } from '../roles/rollup-network.ts'
import { RollupWorld } from '../roles/rollup-world.ts'

const START_MS = 1_800_000_000_000
const MINUTE_MS = 60_000
const crypto = createNativeCrypto()

describe('work on the database of a simulated node', function () {
  this.timeout(600_000)

  async function open() {
    const l2 = await buildL2Start(START_MS / 1000, crypto)
    const logger = () => createSilentLogger()
    const world = new RollupWorld({ seed: 1, startMs: START_MS, validators: 1, transactionsPerSec: 0.2, crypto, l2, logger })
    const judges = new Judges(world, 3 * MINUTE_MS)
    world.start()
    judges.start()
    const runUntil = (minutes: number) => world.simulation.run(START_MS + minutes * MINUTE_MS)
    return { world, judges, runUntil, validator: () => world.nodes[1] }
  }

  it('prunes history while the node is stopped, and the node goes on', async () => {
    const { world, judges, runUntil } = await open()
    runFaults(world, [
      { kind: 'prune', victim: 'validator-1', atMs: 5 * MINUTE_MS, durationMs: 1_000, parameters: { historyBlocks: 20, online: false } },
      { kind: 'prune', victim: 'validator-1', atMs: 6 * MINUTE_MS, durationMs: 0, parameters: { historyBlocks: 20, online: true } },
    ])
    await runUntil(4.9)
    const historyOf = (index: number) => world.nodes[index]?.execution?.database.state.oldestHistory ?? 0
    assert.equal(historyOf(1), historyOf(0))
    await runUntil(10)
    assert.ok(historyOf(1) > historyOf(0), `${historyOf(1)}`)
    judgeLiveness(world, world.nodes, (rule, text) => assert.fail(`${rule}: ${text}`))
    assert.deepEqual(judges.violations, [])
  })

  it('begins again with the final snapshot of another node, also when power fails during the import', async () => {
    const { world, judges, runUntil, validator } = await open()
    const exportMs = 6 * MINUTE_MS
    const restoreMs = 21 * MINUTE_MS
    runFaults(world, [
      {
        kind: 'snapshot-restore',
        victim: 'validator-1',
        atMs: exportMs,
        durationMs: restoreMs - exportMs,
        parameters: { from: ['sequencer'] },
      },
      { kind: 'power', victim: 'validator-1', atMs: restoreMs + 1_020, durationMs: 20_000, parameters: {} },
    ])
    await runUntil(27)
    const { oldestState = 0, execution } = validator() ?? {}
    assert.ok(oldestState > 50, `${oldestState}`)
    assert.ok((execution?.database.state.oldestHistory ?? 0) >= oldestState)
    judgeLiveness(world, world.nodes, (rule, text) => assert.fail(`${rule}: ${text}`))
    assert.deepEqual(judges.violations, [])
  })
})
