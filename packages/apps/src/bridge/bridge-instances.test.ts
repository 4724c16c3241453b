import assert from 'node:assert/strict'
import fc from 'fast-check'
import { depositTx, type FakeTransaction } from '../../../../test/support/bridge/fake-chains.ts'
import { createWorld } from '../../../../test/support/bridge/status-world.ts'
import type { StatusView } from './status-view.ts'

const MAX_TRANSACTIONS = 4
const ROUNDS_TO_CATCH_UP = 3

/** When a service saw something first, and what it estimates from that. */
function withoutOwnTimes({ asOf: _as, submittedAt: _at, estimatedCompletionTime: _done, ...rest }: StatusView) {
  return rest
}

describe('two services of bridge status', () => {
  it('answer alike about the same chains, whatever each has seen and however often it restarted', async () => {
    const act = fc.record({
      what: fc.constantFrom('submit' as const, 'mine' as const, 'adopt' as const, 'safe' as const, 'finalize' as const),
      steps: fc.subarray([0, 1] as const),
      restarts: fc.option(fc.constantFrom(0, 1), { freq: 8 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 15, maxLength: 50 }), async (acts) => {
        const first = createWorld()
        const second = createWorld(first)
        const worlds = [first, second] as const
        const { l1, l2 } = first
        for (const world of worlds) await world.open()
        const txs: FakeTransaction[] = []
        for (const { what, steps, restarts } of acts) {
          const last = l2.blocks.length - 1
          if (what === 'submit' && txs.length < MAX_TRANSACTIONS) {
            const tx = depositTx(`shared-${txs.length}`)
            txs.push(tx)
            l1.pool.push(tx)
          } else if (what === 'mine') l1.mine()
          else if (what === 'adopt') l2.adopt(l1, Math.min(l1.blocks.length - 1, (l2.blocks[last]?.origin.number ?? 0) + 1))
          else if (what === 'safe') l2.safe = Math.min(last, l2.safe + 1)
          else if (what === 'finalize') {
            l2.finalized = l2.safe
            l1.finalized = Math.max(l1.finalized, Math.min(l1.blocks.length - 1, l2.blocks[l2.safe]?.origin.number ?? 0))
          }
          for (const i of steps) await worlds[i].step()
          if (restarts !== null) await (worlds[restarts] as (typeof worlds)[number]).open()
        }
        for (let round = 0; round < ROUNDS_TO_CATCH_UP; round++) for (const world of worlds) await world.step()
        for (const { hash } of txs) {
          const [said, saidElsewhere] = [await first.status(hash), await second.status(hash)]
          assert.deepEqual(withoutOwnTimes(saidElsewhere), withoutOwnTimes(said))
        }
      }),
      { numRuns: 40 },
    )
  })
})
