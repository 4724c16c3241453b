import assert from 'node:assert/strict'
import type { Hash } from '@keelson/primitives'
import fc from 'fast-check'
import { depositTx, type FakeTransaction } from '../../../../test/support/bridge/fake-chains.ts'
import { createWorld, type World } from '../../../../test/support/bridge/status-world.ts'
import type { StatusView } from './status-view.ts'

const RANK = { pending: 0, relaying: 1, complete: 2, failed: 2 } as const

type Act =
  | { readonly do: 'submit' | 'mine' | 'adopt' | 'safe' | 'finalize' | 'step' | 'restart' | 'wait' }
  | { readonly do: 'l1-node' | 'l2-node'; readonly behind: number }
  | { readonly do: 'down'; readonly which: number }

const weighted: readonly (readonly [number, fc.Arbitrary<Act>])[] = [
  ...Object.entries({ submit: 1, mine: 4, adopt: 5, safe: 3, finalize: 1, step: 4, restart: 1, wait: 1 }).map(
    ([name, weight]) => [weight, fc.constant({ do: name } as Act)] as const,
  ),
  [3, fc.record({ do: fc.constantFrom('l1-node' as const, 'l2-node' as const), behind: fc.nat(3) })],
  [2, fc.record({ do: fc.constant('down' as const), which: fc.nat(4) })],
]
const act = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))
const MAX_TRANSACTIONS = 4

async function perform(world: World, action: Act, txs: FakeTransaction[]): Promise<void> {
  const { l1, l2 } = world
  const last = l2.blocks.length - 1
  switch (action.do) {
    case 'submit': {
      if (txs.length === MAX_TRANSACTIONS) return
      const tx = depositTx(`random-${txs.length}`)
      if (txs.length % 3 === 2) l2.outcomes.set(tx.hash, { succeeded: false })
      txs.push(tx)
      l1.pool.push(tx)
      return
    }
    case 'mine':
      return l1.mine()
    case 'adopt':
      return l2.adopt(l1, Math.min(l1.blocks.length - 1, (l2.blocks[last]?.origin.number ?? 0) + 1))
    case 'safe':
      l2.safe = Math.min(last, l2.safe + 1)
      return
    case 'finalize':
      l2.finalized = l2.safe
      l1.finalized = Math.max(l1.finalized, Math.min(l1.blocks.length - 1, l2.blocks[l2.safe]?.origin.number ?? 0))
      return
    case 'step':
      await world.step()
      return
    case 'restart':
      return world.open()
    case 'wait':
      return world.clock.advance(5_000)
    case 'l1-node':
      l1.seenHeight = action.behind === 0 ? null : Math.max(0, l1.blocks.length - 1 - action.behind)
      return
    case 'l2-node': {
      const at = (height: number) => Math.max(0, height - action.behind)
      l2.seen = action.behind === 0 ? null : { unsafe: at(last), safe: at(l2.safe), finalized: at(l2.finalized) }
      return
    }
    case 'down':
      l1.down = action.which === 1
      l2.down = action.which === 2
  }
}

describe('bridge status, at random', () => {
  it('never moves back without a reorg, with any node, outages, lag and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 20, maxLength: 80 }), async (actions) => {
        const world = createWorld()
        await world.open()
        const txs: FakeTransaction[] = []
        for (const name of ['submit', 'mine', 'submit', 'step', 'mine'] as const) await perform(world, { do: name }, txs)
        const said = new Map<Hash, StatusView>()
        for (const action of actions) {
          await perform(world, action, txs)
          for (const { hash } of txs) {
            const answer = await world.answer(hash)
            const before = said.get(hash)
            if (answer.kind !== 'found') {
              assert.equal(before, undefined, `${before?.state} became ${answer.kind} after ${action.do}`)
              continue
            }
            const { status } = answer
            if (before !== undefined) {
              assert.ok(RANK[status.state] >= RANK[before.state], `${before.state} became ${status.state} after ${action.do}`)
              assert.ok(RANK[before.state] < 2 || status.state === before.state)
              assert.ok(before.l2TxHash === null || before.l2TxHash === status.l2TxHash)
              assert.ok(before.l1.blockHash === null || before.l1.blockHash === status.l1.blockHash)
            }
            const truth = world.l2.blocks.find(({ receipts }) => status.l2TxHash !== null && receipts.has(status.l2TxHash))
            if (status.state !== 'pending') assert.ok(truth !== undefined)
            if (RANK[status.state] === 2) assert.ok((truth?.number ?? Number.POSITIVE_INFINITY) <= world.l2.safe)
            said.set(hash, status)
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('converges to the truth after any L1 reorgs and requests', async () => {
    const withReorgs: fc.Arbitrary<Act | { readonly do: 'reorg'; readonly depth: number }> = fc.oneof(
      { weight: 6, arbitrary: act },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 5 }) }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(withReorgs, { minLength: 20, maxLength: 80 }), async (actions) => {
        const world = createWorld()
        const { l1, l2 } = world
        await world.open()
        const txs: FakeTransaction[] = []
        for (const name of ['submit', 'mine', 'submit', 'step', 'mine'] as const) await perform(world, { do: name }, txs)
        for (const action of actions) {
          if (action.do === 'reorg') {
            const depth = Math.min(action.depth, l1.blocks.length - 1 - l1.finalized)
            l1.takeBack(depth)
            l2.takeBack(l2.blocks.findIndex(({ origin }) => l1.blocks[origin.number]?.hash !== origin.hash) >>> 0)
          } else await perform(world, action, txs)
          for (const { hash } of txs.slice(-2)) await world.answer(hash)
        }
        l1.down = l2.down = false
        l1.seenHeight = l2.seen = null
        l1.mine()
        l1.mine()
        l2.adopt(l1)
        l2.safe = l2.blocks.length - 1
        for (let i = 0; i < 12; i++) await world.step()
        for (const tx of txs) {
          const status = await world.status(tx.hash)
          const block = l1.blocks.find((one) => one.txs.includes(tx))
          assert.equal(status.l1.blockHash, block?.hash)
          assert.equal(status.state, l2.outcomes.get(tx.hash)?.succeeded === false ? 'failed' : 'complete')
          assert.equal(status.deposits[0]?.l2?.blockHash, l2.blocks.find(({ receipts }) => receipts.has(status.l2TxHash as Hash))?.hash)
        }
      }),
      { numRuns: 60 },
    )
  })
})
