import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Decimal } from '../../market/decimal.ts'
import { type ExecutionRecord, isFinished } from '../execution/record.ts'
import { createMemoryExecutionStore } from '../memory-stores.test-support.ts'
import type { ExecutionStore, SaveOutcome } from './executions.ts'
import { type OpenedEngine, STORE_ENGINES } from './store-engines.test-support.ts'
import { acceptedRecord, finished, reserved, signed, T0, walletAt } from './stored-records.test-support.ts'

const ALWAYS = 0
const DAY_MS = 86_400_000

for (const engine of STORE_ENGINES) {
  describe(`executions in ${engine.name}`, () => {
    let opened: OpenedEngine
    before(async () => {
      opened = await engine.open()
    })
    after(() => opened.close())
    const both = async (): Promise<readonly [ExecutionStore, ExecutionStore]> => {
      const [one, two] = await opened.fresh()
      return [one.executions, two.executions]
    }
    const property = { numRuns: engine.runs, interruptAfterTimeLimit: 40_000, markInterruptAsFailure: false }

    async function opensAll(store: ExecutionStore, ...records: ExecutionRecord[]): Promise<void> {
      for (const record of records) assert.deepEqual(await store.open(record, ALWAYS), record)
    }

    it('are read by the other instance as they were written', async () => {
      const [one, two] = await both()
      const versions = [acceptedRecord('a')]
      versions.push(reserved(versions[0] as ExecutionRecord, '12.345678901234567890123456789012345678901234567890'))
      versions.push(signed(versions[1] as ExecutionRecord), finished(versions[1] as ExecutionRecord, 'refused'))
      await opensAll(one, versions[0] as ExecutionRecord)
      assert.deepEqual(await two.get('a'), versions[0])
      for (const next of [versions[1], versions[2], finished(versions[2] as ExecutionRecord, 'success')] as ExecutionRecord[]) {
        assert.equal(await one.save(next), 'saved')
        assert.deepEqual(await two.get('a'), next)
      }
      const other = acceptedRecord('b')
      await opensAll(two, other)
      assert.equal(await two.save(finished(other, 'refused')), 'saved')
      assert.deepEqual(await one.get('b'), finished(other, 'refused'))
      for (const unknown of ['c', '', 'a\0', '\ud800']) assert.equal(await one.get(unknown), null)
    })

    it('reserve what fits under the cap to the last digit, of the wallet on all its chains, in the window', async () => {
      const [one, two] = await both()
      const amount = '0.1000000000000000000000000000000000001'
      const old = acceptedRecord('old', { createdAtMs: T0 - DAY_MS })
      const elsewhere = acceptedRecord('elsewhere', { chainId: 902 })
      const foreign = acceptedRecord('foreign', { wallet: walletAt(2) })
      await opensAll(one, old, elsewhere, foreign, acceptedRecord('a'))
      for (const record of [old, elsewhere, foreign]) assert.equal(await one.save(reserved(record, amount)), 'saved')
      const guard = (maxUsd: string) => ({ maxUsd: new Decimal(maxUsd), sinceMs: T0 - DAY_MS })
      const mine = reserved(acceptedRecord('a'), amount)
      assert.equal(await two.save(mine, guard('0.2000000000000000000000000000000000001')), 'over-cap')
      assert.deepEqual(await one.get('a'), acceptedRecord('a'), 'nothing is written')
      assert.equal(await two.save(mine, guard('0.2000000000000000000000000000000000002')), 'saved')
      assert.equal((await one.spentUsd(walletAt(1), T0 - DAY_MS, '')).toFixed(), '0.2000000000000000000000000000000000002')
      assert.equal((await one.spentUsd(walletAt(1), T0 - DAY_MS, 'a')).toFixed(), amount)
      assert.equal((await one.spentUsd(walletAt(1), T0, '')).toFixed(), '0')
      assert.equal(await one.save(finished(mine, 'failed')), 'saved')
      assert.equal((await two.spentUsd(walletAt(1), T0 - DAY_MS, '')).toFixed(), amount)
    })

    it('count the fees of what was mined, traded or not, of one wallet on one chain in the window, to the last wei', async () => {
      const [one, two] = await both()
      const texts = { symbolIn: 'nul \u0000 "feeWei":"7" \ud800' }
      const settledAs = async (id: string, state: 'success' | 'failed', given = {}) => {
        const first = acceptedRecord(id, given)
        const booked = reserved(first, '1')
        const sent = signed({ ...booked, terms: booked.terms === null ? null : { ...booked.terms, ...texts } })
        const { settlement } = finished(sent, 'success')
        const records = [booked, sent, { ...finished(sent, state), settlement }]
        await one.open(first, 0)
        for (const record of records) assert.equal(await one.save(record), 'saved')
      }
      await settledAs('a', 'success')
      await settledAs('b', 'failed')
      await settledAs('old', 'failed', { createdAtMs: T0 - DAY_MS })
      await settledAs('elsewhere', 'failed', { chainId: 902 })
      await settledAs('foreign', 'failed', { wallet: walletAt(2) })
      assert.equal(await two.gasSpentWei(walletAt(1), 901, T0 - DAY_MS), 2n * 123_456_789_012_345_678_901n)
      assert.equal(await two.gasSpentWei(walletAt(3), 901, 0), 0n)
    })

    it('sign nothing under nonces that were chosen before another was signed, be that one finished or not', async () => {
      const [one, two] = await both()
      const [a, b, c] = ['a', 'b', 'c'].map((id) => acceptedRecord(id)) as [ExecutionRecord, ExecutionRecord, ExecutionRecord]
      await opensAll(one, a, b, c)
      assert.equal(await one.save(signed(a), undefined, null), 'saved')
      assert.equal(await one.save(finished(signed(a), 'success')), 'saved')
      assert.equal(await two.save(signed(b), undefined, null), 'wallet-busy')
      assert.deepEqual(await one.get('b'), b, 'nothing is written')
      assert.equal(await two.save(signed(b), undefined, 'a'), 'saved')
      assert.equal(await one.save(signed(c), undefined, 'b'), 'wallet-busy')
      assert.equal(await one.save(finished(signed(b), 'failed')), 'saved')
      assert.equal(await two.save(signed(c), undefined, 'a'), 'wallet-busy')
      assert.equal(await two.save(signed(c), undefined, 'b'), 'saved')
    })

    it('do what the contract’s model does, call after call', async () => {
      const call = fc.oneof(
        fc.record({ what: fc.constant('open' as const), key: fc.nat(3), user: fc.nat(1), wallet: fc.nat(1), chain: fc.nat(1) }),
        fc.record({ what: fc.constant('save' as const), at: fc.nat(12), how: fc.nat(9), usd: fc.nat(60), cap: fc.option(fc.nat(100)) }),
        fc.record({ what: fc.constant('later' as const), ms: fc.integer({ min: 0, max: 700 }) }),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(call, { minLength: 10, maxLength: 40 }), async (calls) => {
          const model = createMemoryExecutionStore()
          const stores = await both()
          let nowMs = T0
          let ids = 0
          for (const [i, step] of calls.entries()) {
            const store = stores[i % 2] as ExecutionStore
            if (step.what === 'later') nowMs += step.ms
            else if (step.what === 'open') {
              const given = { idempotencyKey: `k${step.key}`, userId: step.user, wallet: walletAt(step.wallet), chainId: step.chain }
              const record = acceptedRecord(`e${ids++}`, { ...given, createdAtMs: nowMs })
              assert.deepEqual(await store.open(record, nowMs - 1_000), await model.open(record, nowMs - 1_000))
            } else {
              const kept = await model.get(`e${step.at}`)
              if (kept === null) continue
              const next = change(kept, step.how, `${step.usd}.5`)
              const guard = step.cap === null ? undefined : { maxUsd: new Decimal(step.cap), sinceMs: nowMs - 1_000 }
              assert.equal(await store.save(next, guard), await model.save(next, guard))
              assert.deepEqual(await store.get(kept.id), await model.get(kept.id))
            }
            const [wallet, chain] = [walletAt(i % 2), (i >> 1) % 2]
            assert.deepEqual(await store.lastSigned(wallet, chain), await model.lastSigned(wallet, chain))
            assert.deepEqual(await store.unfinished(3), await model.unfinished(3))
            const [spent, modelled] = [await store.spentUsd(wallet, nowMs - 500, 'e1'), await model.spentUsd(wallet, nowMs - 500, 'e1')]
            assert.equal(spent.toFixed(), modelled.toFixed())
            assert.equal(await store.gasSpentWei(wallet, chain, nowMs - 500), await model.gasSpentWei(wallet, chain, nowMs - 500))
            if (i < calls.length - 1) continue
            const use = (of: ExecutionStore) => of.capUse(wallet, nowMs - 500, 'e1', new Decimal(20))
            assert.deepEqual(JSON.stringify(await use(store)), JSON.stringify(await use(model)))
          }
        }),
        property,
      )
    })

    it('are opened once for a key however many ask at once, also when it is used again', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(3), { minLength: 2, maxLength: 10 }), fc.boolean(), async (delays, again) => {
          const stores = await both()
          if (again) {
            const before = acceptedRecord('before', { idempotencyKey: 'k', createdAtMs: T0 - DAY_MS })
            await opensAll(stores[0], before)
            assert.equal(await stores[0].save(finished(before, 'refused')), 'saved')
          }
          const opening = delays.map(async (turns, i) => {
            await wait(turns)
            return stores[i % 2 === 0 ? 0 : 1].open(acceptedRecord(`e${i}`, { idempotencyKey: 'k' }), T0 - DAY_MS)
          })
          const answers = new Set((await Promise.all(opening)).map(({ id }) => id))
          assert.equal(answers.size, 1)
          assert.ok(!answers.has('before'))
          assert.deepEqual(new Set((await stores[1].unfinished(20)).map(({ id }) => id)), answers)
        }),
        property,
      )
    })

    it('take one of many next versions, and sign one of many of a wallet', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(3), { minLength: 2, maxLength: 8 }), async (delays) => {
          const stores = await both()
          await opensAll(stores[0], ...delays.map((_, i) => acceptedRecord(`e${i}`)), acceptedRecord('same', { chainId: 902 }))
          const race = (work: (store: ExecutionStore, i: number) => Promise<SaveOutcome>) =>
            Promise.all(
              delays.map(async (turns, i) => {
                await wait(turns)
                return work(stores[(i + turns) % 2 === 0 ? 0 : 1], i)
              }),
            )
          const same = await race((store, i) => store.save({ ...reserved(acceptedRecord('same', { chainId: 902 }), `${i}`) }))
          assert.deepEqual(same.sort(), ['saved', ...delays.slice(1).map(() => 'stale')])
          const signing = await race((store, i) => store.save(signed(acceptedRecord(`e${i}`))))
          const winner = signing.indexOf('saved')
          assert.deepEqual([...signing].sort(), ['saved', ...delays.slice(1).map(() => 'wallet-busy')])
          assert.deepEqual(await stores[1].lastSigned(walletAt(1), 901), signed(acceptedRecord(`e${winner}`)))
          assert.deepEqual((await stores[0].get(`e${winner === 0 ? 1 : 0}`))?.state, 'accepted')
        }),
        property,
      )
    })

    it('never hold more than the cap, nor two signed of a wallet, whatever meets', async () => {
      const life = fc.record({
        key: fc.nat(5),
        usd: fc.integer({ min: 1, max: 60 }),
        wallet: fc.nat(1),
        end: fc.constantFrom('success', 'failed', 'refused', 'stays'),
        turns: fc.array(fc.nat(4), { minLength: 4, maxLength: 4 }),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(life, { minLength: 3, maxLength: 12 }), async (lives) => {
          const stores = await both()
          const cap = new Decimal(100)
          const guard = { maxUsd: cap, sinceMs: T0 - DAY_MS }
          const saved = new Map<string, number>()
          const save = async (store: ExecutionStore, record: ExecutionRecord, guarded: boolean) => {
            const outcome = await store.save(record, guarded ? guard : undefined)
            if (outcome === 'saved') saved.set(record.id, (saved.get(record.id) ?? 0) + 1)
            return outcome
          }
          const overCap: { readonly wallet: ExecutionRecord['wallet']; readonly usd: number }[] = []
          const living = lives.map(async ({ key, usd, wallet, end, turns }, i) => {
            const store = stores[i % 2 === 0 ? 0 : 1]
            await wait(turns[0])
            const first = acceptedRecord(`e${i}`, { idempotencyKey: `k${key}`, wallet: walletAt(wallet) })
            const kept = await store.open(first, T0 - DAY_MS)
            if (isFinished(kept) || kept.state !== 'accepted') return
            await wait(turns[1])
            const booked = reserved(kept, `${usd}`)
            const booking = await save(store, booked, true)
            if (booking === 'over-cap') overCap.push({ wallet: kept.wallet, usd })
            if (booking !== 'saved') return
            await wait(turns[2])
            const sent = signed(booked)
            const sending = await save(store, sent, false)
            assert.ok(sending !== 'over-cap')
            if (sending !== 'saved' || end === 'stays') return
            await wait(turns[3])
            assert.equal(await save(store, finished(sent, end as 'success'), false), 'saved')
          })
          let over = false
          const watching = (async () => {
            for (let i = 0; !over; i++) {
              const wallet = walletAt(i % 2)
              assert.ok((await stores[0].spentUsd(wallet, guard.sinceMs, '')).lte(cap))
              const busy = (await stores[1].unfinished(50)).filter((record) => record.wallet === wallet && record.state === 'signed')
              assert.ok(busy.length <= 1, busy.map(({ id }) => id).join())
              await wait(1)
            }
          })()
          await Promise.all(living).finally(() => {
            over = true
          })
          await watching
          const keys = new Set<string>()
          for (let i = 0; i < lives.length; i++) {
            const record = await stores[i % 2 === 0 ? 1 : 0].get(`e${i}`)
            if (record === null) continue
            assert.ok(!keys.has(record.idempotencyKey), `${record.idempotencyKey} was opened twice`)
            keys.add(record.idempotencyKey)
            assert.equal(record.version, 1 + (saved.get(record.id) ?? 0))
          }
          assert.equal(keys.size, new Set(lives.map(({ key }) => key)).size)
          if (lives.every(({ end }) => end === 'stays' || end === 'success'))
            for (const { wallet, usd } of overCap)
              assert.ok((await stores[0].spentUsd(wallet, guard.sinceMs, '')).plus(usd).gt(cap), `${usd} would have fitted`)
        }),
        property,
      )
    })
  })
}

function change(kept: ExecutionRecord, how: number, usd: string): ExecutionRecord {
  if (how === 0) return { ...kept, message: 'of an old version' }
  if (how <= 3) return reserved(kept, usd)
  if (how <= 6) return signed(kept)
  return finished(kept, (['success', 'failed', 'refused'] as const)[how - 7] ?? 'success')
}

async function wait(turns = 0): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
}
