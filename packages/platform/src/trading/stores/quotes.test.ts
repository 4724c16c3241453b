import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { QuoteStore } from './quotes.ts'
import { type OpenedEngine, STORE_ENGINES } from './store-engines.test-support.ts'
import { quoteUntil, T0 } from './stored-records.test-support.ts'

const DAY_MS = 86_400_000

for (const engine of STORE_ENGINES) {
  describe(`quotes in ${engine.name}`, () => {
    let opened: OpenedEngine
    before(async () => {
      opened = await engine.open()
    })
    after(() => opened.close())
    const both = async (): Promise<readonly [QuoteStore, QuoteStore]> => {
      const [one, two] = await opened.fresh()
      return [one.quotes, two.quotes]
    }

    it('are good at the other instance as they were given, and unknown under other names', async () => {
      const [one, two] = await both()
      await one.put(quoteUntil('q_1', T0))
      assert.deepEqual(await two.get('q_1'), quoteUntil('q_1', T0))
      for (const unknown of ['q_2', '', 'q_1\0', "q_1' or '1'='1"]) assert.equal(await two.get(unknown), null)
    })

    it('belong to the first execution of many, and stay its own', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(4), { minLength: 2, maxLength: 12 }), async (users) => {
          const stores = await both()
          await stores[0].put(quoteUntil('q', T0))
          const taken = await Promise.all(users.map((user, i) => stores[i % 2 === 0 ? 0 : 1].consume('q', `e${user}`)))
          const owners = new Set(users.filter((_, i) => taken[i]))
          assert.equal(owners.size, 1)
          for (const user of users) assert.equal(await stores[1].consume('q', `e${user}`), owners.has(user))
        }),
        { numRuns: engine.runs },
      )
    })

    it('are there until they expire, and are gone a day later', async () => {
      const [one, two] = await both()
      for (const id of ['used', 'unused']) await one.put(quoteUntil(id, T0))
      assert.equal(await one.consume('used', 'e1'), true)
      await two.deleteExpired(T0)
      for (const id of ['used', 'unused']) assert.notEqual(await one.get(id), null)
      await two.deleteExpired(T0 + DAY_MS + 1)
      for (const id of ['used', 'unused']) assert.equal(await one.get(id), null)
      assert.equal(await two.consume('used', 'e2'), false, 'it was used, and that does not change')
    })

    if (engine.name !== 'memory') {
      it('stay for the request that may be using them, and a day when one did', async () => {
        const [quotes] = await both()
        for (const id of ['used', 'unused']) await quotes.put(quoteUntil(id, T0))
        await quotes.consume('used', 'e1')
        await quotes.deleteExpired(T0 + 600_000)
        assert.equal(await quotes.consume('unused', 'e1'), true)
        await quotes.put(quoteUntil('later', T0))
        await quotes.deleteExpired(T0 + DAY_MS)
        assert.equal(await quotes.get('later'), null)
        for (const id of ['used', 'unused']) assert.deepEqual((await quotes.get(id))?.quote.quote_id, id)
        assert.equal(await quotes.consume('later', 'e1'), false, 'what is gone is good for nothing')
      })
    }
  })
}
