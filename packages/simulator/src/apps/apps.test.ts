import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { buildL2Start } from '../roles/rollup-network.ts'
import { RollupWorld } from '../roles/rollup-world.ts'

const START_MS = 1_800_000_000_000
const MINUTE_MS = 60_000
const crypto = createNativeCrypto()

describe('the services of a simulated network', function () {
  this.timeout(120_000)

  it('pay people and report deposits', async () => {
    const l2 = await buildL2Start(START_MS / 1000, crypto)
    const options = { seed: 2, startMs: START_MS, validators: 0, transactionsPerSec: 0, crypto, l2 }
    const world = new RollupWorld({ ...options, logger: () => createSilentLogger() })
    const states = new Set<string>()
    world.start()
    world.apps.bridgeWatchers.onAnswer(({ kind, view }) => {
      if (kind === 'deposit') states.add(view.state)
    })
    await world.simulation.run(START_MS + 10 * MINUTE_MS)
    const claims = [...(world.apps.faucet.role?.backend.records.all() ?? [])]
    assert.ok(world.apps.faucetUsers.promised.size > 0 && claims.some(({ state }) => state === 'paid'))
    assert.ok(states.has('complete'), `deposits were ${[...states].join(', ')}`)
  })
})
