import assert from 'node:assert/strict'
import type { ExecutionRequest } from '../../schemas/execution.ts'
import { findBrokenAuditEntry } from '../audit/audit-log.ts'
import type { ExecutionOutcome, Executor } from '../execution/executor.ts'
import { codeOf, done } from '../execution/outcome.test-support.ts'
import {
  callerWith,
  createTradingWorldOver,
  type Effects,
  order,
  type TradingStores,
  type TradingWorld,
} from '../execution/trading-world.test-support.ts'
import { swapInput } from '../market.test-support.ts'
import { DATABASE_ENGINES, type OpenedEngine } from './store-engines.test-support.ts'

const DAY_MS = 86_400_000

for (const engine of DATABASE_ENGINES) {
  describe(`executors over ${engine.name}`, () => {
    let opened: OpenedEngine
    before(async () => {
      opened = await engine.open()
    })
    after(() => opened.close())

    async function twoExecutors() {
      const stores = await opened.fresh()
      const world: TradingWorld<TradingStores> = createTradingWorldOver(stores[0], { waitMs: 600_000 })
      let underWay = 0
      const counted: Effects = (work) => {
        underWay++
        return work().finally(() => {
          underWay--
        })
      }
      const executors = stores.map((through) => {
        world.restart(counted, through)
        return world.executor
      })
      const quiet = async () => {
        while (underWay > 0) await world.clock.advance(0)
      }
      return { world, executors: executors as unknown as readonly [Executor, Executor], stores, quiet }
    }

    async function askAll(
      { world, executors, quiet }: Awaited<ReturnType<typeof twoExecutors>>,
      asked: readonly (readonly [ExecutionRequest, string | null])[],
    ): Promise<readonly ExecutionOutcome[]> {
      let open = asked.length
      const answers = asked.map(([request, key], i) =>
        (executors[i % 2] ?? executors[0]).execute(request, callerWith(key)).finally(() => {
          open--
        }),
      )
      const all = Promise.all(answers)
      while (open > 0) {
        await quiet()
        world.chain.mine()
        await world.clock.advance(250)
        await quiet()
        await world.settler.step()
      }
      const outcomes = await all
      await world.settle()
      return outcomes
    }

    it('trade once for one key, and answer alike for a day', async () => {
      const both = await twoExecutors()
      const outcomes = await askAll(
        both,
        Array.from({ length: 10 }, () => [order(), 'k'] as const),
      )
      const answered = outcomes.filter(({ kind }) => kind === 'done')
      assert.equal(new Set(answered.map((outcome) => done(outcome).tx_hash)).size, 1)
      assert.ok(outcomes.every(({ kind }) => kind === 'done' || kind === 'busy'))
      assert.equal(both.world.chain.trades.length, 1)
      const again = done(await both.executors[1].execute(order(), callerWith('k')))
      assert.deepEqual([again.status, again.tx_hash], ['success', done(answered[0] as ExecutionOutcome).tx_hash])
      assert.equal((await both.executors[0].execute(order({}, { amount_in: '101' }), callerWith('k'))).kind, 'conflict')
      await both.world.clock.advance(DAY_MS)
      await askAll(both, [[order(), 'k']])
      assert.equal(both.world.chain.trades.length, 2)
    })

    it('hold the daily cap together', async () => {
      const both = await twoExecutors()
      const asked = Array.from({ length: 12 }, (_, i) => [order({}, { amount_in: '499' }), `k${i}`] as const)
      const codes = async () => (await askAll(both, asked)).map(codeOf)
      let answered = await codes()
      for (let i = 0; i < 5 && answered.includes('busy'); i++) answered = await codes()
      assert.deepEqual([...answered].sort(), [...Array(6).fill('daily-cap'), ...Array(6).fill('done')])
      assert.equal(both.world.chain.trades.length, 6)
      assert.equal(findBrokenAuditEntry(await both.stores[0].audit.read(1, 10_000)), null)
    })

    it('give a quote to one execution', async () => {
      const both = await twoExecutors()
      const quoted = await both.world.quotes.executable(swapInput(), 's1')
      assert.ok(quoted.ok)
      const request = order({ quote_id: quoted.quote.quote_id })
      const outcomes = await askAll(
        both,
        Array.from({ length: 4 }, (_, i) => [request, `k${i}`] as const),
      )
      assert.equal(both.world.chain.trades.length, 1)
      assert.ok(
        outcomes.every((outcome) => ['done', 'quote-used', 'quote-expired', 'busy'].includes(codeOf(outcome))),
        outcomes.map(codeOf).join(),
      )
    })
  })
}
