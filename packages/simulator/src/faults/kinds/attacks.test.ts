import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { Judges } from '../../judges/judges.ts'
import { judgeLiveness } from '../../judges/liveness-judge.ts'
import { buildL2Start, type L2Start } from '../../roles/rollup-network.ts'
import { RollupWorld } from '../../roles/rollup-world.ts'
import type { Fault } from '../fault-kind.ts'
import { runFaults } from '../run-faults.ts'

const START_MS = 1_800_000_000_000
const MINUTE_MS = 60_000
const crypto = createNativeCrypto()

describe('attacks on a simulated network', function () {
  this.timeout(120_000)
  let l2: L2Start

  before(async () => {
    l2 = await buildL2Start(START_MS / 1000, crypto)
  })

  async function run(fault: Pick<Fault, 'kind' | 'victim' | 'parameters'>) {
    const world = new RollupWorld({
      seed: 1,
      startMs: START_MS,
      validators: 1,
      transactionsPerSec: 1,
      crypto,
      l2,
      logger: () => createSilentLogger(),
    })
    const judges = new Judges(world, MINUTE_MS)
    world.start()
    judges.start()
    runFaults(world, [{ ...fault, atMs: MINUTE_MS, durationMs: 3 * MINUTE_MS }])
    await world.simulation.run(START_MS + 4 * MINUTE_MS)
    const heads = world.nodes.map(({ running }) => running?.consensus.driver.heads?.unsafe.number ?? 0)
    const pooled = world.nodes[0]?.running?.execution.pool.counts()
    await world.simulation.run(START_MS + 6 * MINUTE_MS)
    judgeLiveness(world, world.nodes, (rule, text) => assert.fail(`${rule}: ${text}`))
    assert.deepEqual(judges.violations, [])
    return { world, heads, pooled }
  }

  for (const hasKey of [false, true]) {
    it(`follow the honest chain beside a peer that lies ${hasKey ? 'with' : 'without'} the key of the sequencer`, async () => {
      const { world, heads } = await run({ kind: 'lying-peer', victim: 'network', parameters: { hasKey } })
      assert.ok(world.lyingPeer.published > 100, `${world.lyingPeer.published} lies`)
      // A block is due every two seconds. One that the sequencer does not sign, because it heard another of its height, comes from L1.
      const least = hasKey ? 60 : 115
      for (const head of heads) assert.ok(head >= least, `the head is ${head} after 4 minutes`)
    })
  }

  it('lets honest transactions in beside a flood of junk, and keeps a bounded part of it', async () => {
    const { world, pooled } = await run({ kind: 'junk-flood', victim: 'users', parameters: { perSec: 15 } })
    const { accepted, refused } = world.users
    assert.ok(world.junk.sent > 2_500, `${world.junk.sent} sent`)
    assert.ok(accepted.size >= 330, `${accepted.size} of 360 transactions accepted, ${refused} refused`)
    assert.ok(
      pooled !== undefined && pooled.queued > 0 && pooled.queued < 1_000 && pooled.pending < 20,
      JSON.stringify(pooled, (_, value) => Number(value) || value),
    )
  })
})
