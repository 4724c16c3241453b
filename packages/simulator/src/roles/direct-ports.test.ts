import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { buildL2Start, type L2Start } from './rollup-network.ts'
import { RollupWorld } from './rollup-world.ts'

const START_MS = 1_800_000_000_000
const RUN_MS = 60_000
const crypto = createNativeCrypto()

describe('ports without JSON-RPC', function () {
  this.timeout(300_000)
  let l2: L2Start

  before(async () => {
    l2 = await buildL2Start(START_MS / 1000, crypto)
  })

  const chainOf = async (realRpc: boolean) => {
    const world = new RollupWorld({
      seed: 1,
      startMs: START_MS,
      validators: 1,
      transactionsPerSec: 2,
      realRpc,
      crypto,
      l2,
      logger: () => createSilentLogger(),
    })
    world.start()
    await world.simulation.run(START_MS + RUN_MS)
    return world.nodes.map(({ running }) => {
      assert.ok(running !== null)
      const { chain } = running.execution
      const head = chain.label('unsafe').header.number
      return Array.from({ length: head + 1 }, (_, number) => chain.canonicalHash(number))
    })
  }

  it('give every node the same chain as with it', async () => {
    const [sequencer, validator] = await chainOf(false)
    assert.ok((sequencer?.length ?? 0) >= 30, `${sequencer?.length} blocks`)
    assert.deepEqual([sequencer, validator], await chainOf(true))
  })
})
