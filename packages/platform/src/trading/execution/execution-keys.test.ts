import assert from 'node:assert/strict'
import { ClientError } from '@keelson/client'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal } from '../../market/decimal.ts'
import { minimumOut } from '../../market/pools/amm.ts'
import type { ExecutionRequest } from '../../schemas/execution.ts'
import { DOLLAR, swapInput } from '../market.test-support.ts'
import type { ExecutionOutcome } from './executor.ts'
import { changePolicy, codeOf, done, withTime } from './outcome.test-support.ts'
import { callerWith, createTradingWorld, order, START_MS, type TradingWorld, UNITS } from './trading-world.test-support.ts'

const HOUR_MS = 3_600_000

describe('execution: quotes', () => {
  const quoted = async (world: TradingWorld) => {
    const outcome = await world.quotes.executable(swapInput(), 's1')
    assert.ok(outcome.ok)
    return outcome.quote.quote_id
  }

  it('bind to what was asked, in their session, until they expire, and once', async () => {
    const world = createTradingWorld()
    const quoteId = await quoted(world)
    const codeFor = async (request: ExecutionRequest, user = 1) => codeOf(await world.executor.execute(request, callerWith(null, user)))
    assert.equal(await codeFor(order({ quote_id: quoteId }, { amount_in: '101' })), 'quote-other-input')
    assert.equal(await codeFor(order({ quote_id: quoteId }), 2), 'quote-unknown')
    assert.equal(await codeFor(order({ quote_id: 'q_forged' })), 'quote-unknown')
    const simulation = order({ quote_id: quoteId, confirm: false }, { simulate_only: true })
    assert.equal(await codeFor(simulation), 'done')
    assert.equal(await codeFor(order({ quote_id: quoteId })), 'done')
    await world.settle()
    assert.equal(codeOf(await world.executor.execute(order({ quote_id: quoteId }), callerWith('other'))), 'quote-used')
    const late = await quoted(world)
    await world.clock.advance(30_000)
    assert.equal(await codeFor(order({ quote_id: late })), 'quote-expired')
    assert.equal(world.chain.trades.length, 1)
  })

  it('hold: pools that give less than the quote and its slippage are refused', async () => {
    const world = createTradingWorld()
    const quoteId = await quoted(world)
    world.market.poolFactor = new Decimal('0.994')
    assert.equal(codeOf(await world.executor.execute(order({ quote_id: quoteId }), callerWith(null))), 'quote-moved')
    world.market.poolFactor = new Decimal('0.996')
    assert.equal(codeOf(await world.executor.execute(order({ quote_id: quoteId }), callerWith('later'))), 'done')
    await world.settle()
    world.market.poolFactor = new Decimal(1)
    const quoted1 = world.market.offer(DOLLAR, NATIVE_ADDRESS, 100n * UNITS.dollar)
    assert.equal(world.chain.trades[0]?.minimumOut, minimumOut(quoted1, 50))
  })

  it('of oracle prices are not traded on, nor simulated as if they were', async () => {
    const world = createTradingWorld()
    const outcome = await world.quotes.reference(swapInput(), 's1')
    assert.ok(outcome.ok)
    const bound = order({ quote_id: outcome.quote.quote_id })
    assert.equal(codeOf(await world.executor.execute(bound, callerWith('k'))), 'quote-reference')
    const simulation = order({ quote_id: outcome.quote.quote_id, confirm: false }, { simulate_only: true })
    assert.equal(codeOf(await world.executor.execute(simulation, callerWith(null))), 'quote-reference')
    await world.settle()
    assert.equal(world.chain.trades.length, 0)
  })
})

describe('execution: keys and caps', () => {
  it('answers the same key the same for a day, and another body with a conflict', async () => {
    const world = createTradingWorld()
    const first = done(await world.executor.execute(order(), callerWith('k')))
    assert.deepEqual(done(await world.executor.execute(order(), callerWith('k'))), first)
    assert.equal((await world.executor.execute(order({}, { amount_in: '101' }), callerWith('k'))).kind, 'conflict')
    assert.equal(codeOf(await withTime(world, world.executor.execute(order(), callerWith('k', 2)))), 'done')
    await world.settle()
    await world.clock.advanceTo(START_MS + 24 * HOUR_MS - 1)
    done(await world.executor.execute(order(), callerWith('k')))
    await world.settle()
    assert.equal(world.chain.trades.length, 2)
    done(await world.executor.execute(order(), callerWith('k')))
    await world.settle()
    assert.equal(world.chain.trades.length, 3)
  })

  it('an order without a key that comes again while its trade is under way, or after an outage, does not trade twice', async () => {
    const world = createTradingWorld()
    const idOf = async (request = order(), session = 's1') => {
      const outcome = await withTime(world, world.executor.execute(request, { ...callerWith(null), sessionId: session }))
      return outcome.kind === 'done' ? outcome.executionId : codeOf(outcome)
    }
    const { save } = world.executions
    world.executions.save = async (record, ...more) => {
      const outcome = await save(record, ...more)
      if (record.state === 'signed') throw Object.assign(new Error('connection is gone'), { code: '08006' })
      return outcome
    }
    world.restart()
    const told: string[] = []
    await assert.rejects(
      world.executor.execute(order(), callerWith(null), (id) => told.push(id)),
      /connection is gone/,
    )
    world.executions.save = save
    world.restart()
    const [first] = told
    assert.equal(await idOf(), first)
    assert.equal(await idOf(order({}, { amount_in: '101' })), 'busy')
    assert.equal(await idOf(order(), 'another session'), 'busy')
    await world.settler.step()
    await world.settle()
    assert.equal(world.chain.trades.length, 1)
    assert.notEqual(await idOf(), first)
    await world.settle()
    assert.equal(world.chain.trades.length, 2)
  })

  it('a simulation with the key of a trade is a conflict, until the key is free again', async () => {
    const world = createTradingWorld()
    const simulation = order({ confirm: false }, { simulate_only: true })
    assert.equal(codeOf(await world.executor.execute(simulation, callerWith('k'))), 'done')
    assert.equal(codeOf(await world.executor.execute(order(), callerWith('k'))), 'done')
    await world.settle()
    assert.equal((await world.executor.execute(simulation, callerWith('k'))).kind, 'conflict')
    assert.equal(codeOf(await world.executor.execute(simulation, callerWith('other'))), 'done')
    await world.clock.advance(24 * HOUR_MS)
    assert.equal(codeOf(await world.executor.execute(simulation, callerWith('k'))), 'done')
    assert.equal(world.chain.trades.length, 1)
  })

  it('a repeated order on a quote without a key gets the same answer, and a refused one is decided again', async () => {
    const world = createTradingWorld()
    const quoted = await world.quotes.executable(swapInput(), 's1')
    assert.ok(quoted.ok)
    const bound = order({ quote_id: quoted.quote.quote_id })
    world.stopped = 'incident'
    assert.equal(codeOf(await world.executor.execute(bound, callerWith(null))), 'kill-switch')
    world.stopped = null
    const first = await world.executor.execute(bound, callerWith(null))
    await world.settle()
    await world.clock.advance(HOUR_MS)
    const again = await world.executor.execute(bound, callerWith(null))
    assert.ok(first.kind === 'done' && again.kind === 'done')
    assert.deepEqual([again.executionId, again.result.status, world.chain.trades.length], [first.executionId, 'success', 1])
  })

  it('says of what was not signed whether it may still be', async () => {
    const world = createTradingWorld()
    const { simulate } = world.chain
    let id = ''
    world.chain.simulate = () => Promise.reject(new ClientError('client/unreachable', 'temporary', 'chain is away'))
    await assert.rejects(
      world.executor.execute(order(), callerWith('k'), (told) => (id = told)),
      /chain is away/,
    )
    assert.deepEqual(await world.executor.find(id, 1), { kind: 'undecided' })
    assert.equal(await world.executor.find(id, 2), null)
    world.chain.simulate = simulate
    world.stopped = 'incident'
    await world.executor.execute(order(), callerWith('k'))
    assert.deepEqual(await world.executor.find(id, 1), { kind: 'refused', detail: 'all trading is stopped: incident' })
  })

  it('keeps refusals under their key too, and continues after an outage', async () => {
    const world = createTradingWorld()
    const big = order({}, { amount_in: '5000' })
    const refused = await world.executor.execute(big, callerWith('k'))
    changePolicy(world, { maxTradeUsd: new Decimal(10_000), maxDailyUsd: new Decimal(10_000) })
    const again = await world.executor.execute(big, callerWith('k'))
    assert.ok(refused.kind === 'refused' && again.kind === 'refused')
    const { detail } = refused.refusal
    assert.deepEqual(again.refusal, {
      ...refused.refusal,
      detail: `${detail} (refused earlier under this Idempotency-Key: to try again, send a new one)`,
    })
    const { simulate } = world.chain
    world.chain.simulate = () => Promise.reject(new ClientError('client/unreachable', 'temporary', 'chain is away'))
    await assert.rejects(world.executor.execute(order(), callerWith('k2')), /chain is away/)
    world.chain.simulate = simulate
    done(await world.executor.execute(order(), callerWith('k2')))
    await world.settle()
    assert.equal(world.chain.trades.length, 1)
  })

  it('trades once for one key however many ask at once', async () => {
    const world = createTradingWorld()
    const results = await Promise.all(Array.from({ length: 20 }, () => world.executor.execute(order(), callerWith('k'))))
    assert.equal(new Set(results.map((outcome) => done(outcome).tx_hash)).size, 1)
    await world.settle()
    assert.equal(world.chain.trades.length, 1)
  })

  it('trades twice for two orders that are alike, when one is finished while the other is still being prepared', async () => {
    const world = createTradingWorld()
    const { simulate } = world.chain
    let goOn: (value: null) => void = () => undefined
    const mayGoOn = new Promise<null>((resolve) => {
      goOn = resolve
    })
    let held = 0
    world.chain.simulate = async (...args) => {
      const simulated = await simulate(...args)
      if (held++ === 0) await mayGoOn
      return simulated
    }
    const slow = world.executor.execute(order(), callerWith('slow'))
    await world.clock.advance(0)
    world.restart()
    const fast = done(await world.executor.execute(order(), callerWith('fast')))
    await world.settle()
    assert.equal(world.chain.trades.length, 1)
    goOn(null)
    assert.notEqual(done(await withTime(world, slow)).tx_hash, fast.tx_hash)
    await world.settle()
    assert.equal(world.chain.trades.length, 2)
    assert.deepEqual(
      [...world.executions.records.values()].map(({ state }) => state),
      ['success', 'success'],
    )
  })

  it('holds the daily cap for trades asked for at once, in two processes', async () => {
    const world = createTradingWorld({ waitMs: 600_000 })
    const executors = [world.executor]
    world.restart()
    executors.push(world.executor)
    const all = Promise.all(
      Array.from(
        { length: 16 },
        (_, i) => executors[i % 2]?.execute(order({}, { amount_in: '499' }), callerWith(`k${i}`)) as Promise<ExecutionOutcome>,
      ),
    )
    const outcomes = await withTime(world, all, async () => {
      world.chain.mine()
      await world.settler.step()
    })
    await world.settle()
    assert.equal(world.chain.trades.length, 6)
    assert.ok(
      outcomes.every((outcome) => ['done', 'daily-cap', 'busy'].includes(codeOf(outcome))),
      outcomes.map(codeOf).join(),
    )
    await world.clock.advance(24 * HOUR_MS)
    done(await world.executor.execute(order({}, { amount_in: '499' }), callerWith('tomorrow')))
  })

  it('takes turns with 14 trades asked for at once, and none that waits or gave up holds back the daily cap', async () => {
    const world = createTradingWorld({ waitMs: 10_000 })
    const keys = Array.from({ length: 14 }, (_, i) => `k${i}`)
    const mine = async () => {
      world.chain.mine()
      await world.settler.step()
    }
    const askAll = () =>
      withTime(
        world,
        Promise.all(keys.map((key) => world.executor.execute(order({}, { amount_in: '499' }), callerWith(key)))),
        async () => {
          const reserved = [...world.executions.records.values()].filter(
            ({ state, reservedUsd }) => state === 'accepted' && reservedUsd !== null,
          )
          assert.ok(reserved.length <= 1, `${reserved.length} trades that are not signed hold a part of the cap`)
          if (world.clock.nowMs() % 8_000 === 0) await mine()
        },
      )
    const first = await askAll()
    const busy = first.filter(({ kind }) => kind === 'busy')
    assert.ok(busy.length > 0)
    for (const outcome of busy)
      assert.match((outcome as { detail: string }).detail, /nothing of this one is reserved.*same Idempotency-Key again, which can succeed/)
    assert.equal(first.length, busy.length + first.filter(({ kind }) => kind === 'done').length, first.map(codeOf).join())
    let all = first
    for (let i = 0; i < 20 && all.some(({ kind }) => kind === 'busy'); i++) all = await askAll()
    assert.deepEqual(all.map(codeOf).sort(), [...Array(8).fill('daily-cap'), ...Array(6).fill('done')])
    assert.deepEqual(all.slice(0, 6).map(codeOf), Array(6).fill('done'), 'the order of the requests decides')
  })

  it('says in a refusal by the daily cap when a retry can succeed, and it does then', async () => {
    const world = createTradingWorld()
    const trade = async (amount: string, key: string) => {
      const outcome = await world.executor.execute(order({}, { amount_in: amount }), callerWith(key))
      await world.settle()
      return outcome
    }
    for (const key of ['a', 'b', 'c']) {
      done(await trade('900', key))
      await world.clock.advance(HOUR_MS)
    }
    const { refusal } = (await trade('999', 'd')) as Extract<ExecutionOutcome, { kind: 'refused' }>
    assert.deepEqual([refusal.rule, refusal.retryable], ['daily-cap', true])
    // 2,700 dollars of 3,000 are spent: the first trade has to be a day old.
    assert.equal(refusal.retryAt, new Date(START_MS + 24 * HOUR_MS).toISOString())
    assert.match(refusal.detail, /2700 of 3000 are spent or reserved.*can succeed from 2026-06-02T00:00:00.000Z$/)
    await world.clock.advance(Date.parse(refusal.retryAt ?? '') - 1 - world.clock.nowMs())
    assert.equal(codeOf(await trade('999', 'e')), 'daily-cap')
    done(await trade('999', 'f'))
    changePolicy(world, { maxDailyUsd: new Decimal(500) })
    const never = (await trade('600', 'g')) as Extract<ExecutionOutcome, { kind: 'refused' }>
    assert.deepEqual([never.refusal.rule, never.refusal.retryable, never.refusal.retryAt], ['daily-cap', false, undefined])
  })

  it('gives up what nobody works on any more, and its reservation with it', async () => {
    const world = createTradingWorld()
    const { nonce } = world.chain
    world.chain.nonce = () => new Promise(() => undefined)
    void world.executor.execute(order(), callerWith('k'))
    await world.clock.advance(0)
    world.restart()
    world.chain.nonce = nonce
    await world.clock.advance(599_999)
    await world.settler.step()
    assert.equal(world.executions.records.values().next().value?.state, 'accepted')
    await world.clock.advance(1)
    await world.settler.step()
    assert.equal(codeOf(await world.executor.execute(order(), callerWith('k'))), 'interrupted')
  })
})
