import assert from 'node:assert/strict'
import { ClientError } from '@keelson/client'
import { createSeededRandom, createSilentLogger } from '@keelson/runtime'
import { Decimal, formatAmount } from '../../packages/platform/src/market/decimal.ts'
import { users } from '../../packages/platform/src/storage/schema/auth.ts'
import { trades as booked } from '../../packages/platform/src/storage/schema/portfolio.ts'
import { findBrokenAuditEntry } from '../../packages/platform/src/trading/audit/audit-log.ts'
import type { ExecutionOutcome, Executor } from '../../packages/platform/src/trading/execution/executor.ts'
import type { Settler } from '../../packages/platform/src/trading/execution/settlement.ts'
import {
  callerWith,
  createTradingWorldOver,
  type Effects,
  order,
  type TradingStores,
  type TradingWorld,
  UNITS,
} from '../../packages/platform/src/trading/execution/trading-world.test-support.ts'
import { recordExecution } from '../../packages/platform/src/trading/stores/record-execution.ts'
import { type OpenedEngine, STORE_ENGINES } from '../../packages/platform/src/trading/stores/store-engines.test-support.ts'
import { createMortal, type Mortal } from '../support/mortal.ts'

const MEMORY_WALKS = 24
const DATABASE_WALKS = 3
const STEPS = 90
const KEYS = 12
const amountOf = (key: number) => 100 + key

interface Process {
  readonly life: Mortal
  readonly executor: Executor
  readonly settler: Settler
  looking: boolean
}

interface Walk {
  readonly world: TradingWorld<TradingStores>
  readonly said: ReadonlyMap<number, readonly string[]>
  readonly kills: number
  readonly lostAnswers: number
}

const FINAL = new Set(['success', 'failed', 'refused'])

function spoken(outcome: ExecutionOutcome): string | null {
  if (outcome.kind === 'done') return outcome.result.status
  return outcome.kind === 'refused' ? 'refused' : null
}

async function wander(seed: number, { fresh, db }: OpenedEngine): Promise<Walk> {
  const random = createSeededRandom(seed)
  const pick = (n: number) => Math.floor(random.next() * n)
  const stores = await fresh()
  await db?.insert(users).values({ email: 'ann@example.org', passwordHash: '-', createdAt: new Date(0) })
  const world: TradingWorld<TradingStores> = createTradingWorldOver(stores[0], { waitMs: 5_000 }, async (record) => {
    if (db !== null) await recordExecution(db, { clock: world.clock, log: createSilentLogger() })(record)
  })
  const { chain, clock } = world
  const said = new Map<number, string[]>()
  let kills = 0
  let lostAnswers = 0
  let loseNext: 'never' | 'before' | 'after' = 'never'
  const { sendRaw } = chain
  chain.sendRaw = async (raw) => {
    const lost = loseNext
    loseNext = 'never'
    if (lost !== 'before') await sendRaw(raw)
    if (lost === 'never') return
    lostAnswers++
    throw new ClientError('client/timeout', 'temporary', 'no answer')
  }

  let calm = false
  let begun = 0
  let underWay = 0
  const begin = (): Process => {
    const life = createMortal()
    const effects: Effects = (work) =>
      life.effect(async () => {
        if (!calm && pick(6) === 0) await clock.sleep(pick(1_200))
        underWay++
        return work().finally(() => {
          underWay--
        })
      })
    world.restart(effects, stores[begun++ % 2])
    const { executor, settler } = world
    return { life, executor, settler, looking: false }
  }
  let processes = [begin(), begin()]
  const bury = () => {
    processes = processes.map((process) => {
      if (process.life.alive) return process
      kills++
      return begin()
    })
  }
  const any = () => processes[pick(processes.length)] as Process

  function ask(key: number, { executor }: Process): void {
    void executor
      .execute(order({}, { amount_in: String(amountOf(key)) }), callerWith(`key ${key}`))
      .then((outcome) => {
        const status = spoken(outcome)
        if (status !== null) said.set(key, [...(said.get(key) ?? []), status])
      })
      .catch(() => undefined)
  }

  function look(process: Process): void {
    if (process.looking) return
    process.looking = true
    void process.settler
      .step()
      .catch(() => undefined)
      .finally(() => {
        process.looking = false
      })
  }

  async function pass(ms: number): Promise<void> {
    const untilMs = clock.nowMs() + ms
    for (let nextMs = clock.nowMs(); nextMs <= untilMs; nextMs = clock.sleepers[0] ?? Number.POSITIVE_INFINITY) {
      await clock.advanceTo(nextMs)
      while (underWay > 0) await clock.advance(0)
    }
    await clock.advanceTo(untilMs)
  }

  for (let step = 0; step < STEPS; step++) {
    const what = pick(12)
    const key = Math.min(KEYS - 1, Math.floor((step * KEYS) / STEPS) + pick(2))
    if (what <= 1) for (const process of processes) ask(key, process)
    else if (what <= 5) {
      const process = any()
      ask(key, process)
      process.life.dieAt(1 + pick(32), pick(2) === 0)
    } else if (what === 6) loseNext = pick(2) === 0 ? 'before' : 'after'
    else if (what === 7) chain.pool.clear()
    else if (what === 8) chain.baseFeeWei = BigInt(500 + pick(4_000))
    else if (what === 9) world.market.poolFactor = new Decimal(pick(3) === 0 ? '0.99' : '1')
    else chain.mine(1 + pick(2))
    await pass(500 + pick(2_000))
    look(any())
    bury()
  }
  calm = true
  await pass(1_200)
  bury()
  chain.baseFeeWei = 1_000n
  world.market.poolFactor = new Decimal(1)
  processes = [begin()]
  for (let i = 0; i < 120; i++) {
    ask(i % KEYS, processes[0] as Process)
    chain.mine(1)
    await pass(2_000)
    look(processes[0] as Process)
  }
  return { world, said, kills, lostAnswers }
}

for (const engine of STORE_ENGINES) {
  describe(`trading that is killed at any step, on ${engine.name}`, () => {
    let opened: OpenedEngine
    before(async () => {
      opened = await engine.open()
    })
    after(() => opened.close())

    it('trades each key at most once, and reports what the chain holds', async () => {
      const walks = opened.db === null ? MEMORY_WALKS : DATABASE_WALKS
      let kills = 0
      let lostAnswers = 0
      let trades = 0
      let failures = 0
      for (let seed = 1; seed <= walks; seed++) {
        const walk = await wander(seed * 17, opened)
        const { world, said } = walk
        kills += walk.kills
        lostAnswers += walk.lostAnswers
        trades += world.chain.trades.length
        const records = await opened.records()
        for (let key = 0; key < KEYS; key++) {
          const where = `seed ${seed}, key ${key}`
          const mine = world.chain.trades.filter(({ amountIn }) => amountIn === BigInt(amountOf(key)) * UNITS.dollar)
          const kept = records.filter(({ idempotencyKey }) => idempotencyKey === `key ${key}`)
          assert.equal(kept.length, 1, `${where}: ${kept.length} records`)
          assert.ok(mine.length <= 1, `${where}: traded ${mine.length} times`)
          assert.equal(kept[0]?.state === 'success', mine.length === 1, `${where}: ${kept[0]?.state}, ${mine.length} trades`)
          assert.ok(FINAL.has(kept[0]?.state ?? ''), `${where}: ${kept[0]?.state} at the end`)
          if (kept[0]?.state === 'failed') failures++
          const heard = said.get(key) ?? []
          const firstFinal = heard.findIndex((status) => FINAL.has(status))
          assert.ok(firstFinal >= 0, `${where}: nothing final was said`)
          assert.deepEqual(new Set(heard.slice(firstFinal)), new Set([kept[0]?.state]), `${where}: ${heard.join()}`)
          for (const trade of mine) assert.ok(trade.amountOut >= trade.minimumOut)
        }
        const amounts = new Set(Array.from({ length: KEYS }, (_, key) => BigInt(amountOf(key)) * UNITS.dollar).concat(0n))
        assert.ok(world.chain.approvals.every(({ amount }) => amounts.has(amount)))
        const entries = await world.auditStore.read(1, 1_000_000)
        assert.equal(findBrokenAuditEntry(entries), null, `seed ${seed}`)
        const audited = new Set(entries.flatMap(({ data }) => [...((data.hashes ?? []) as string[]), data.hash]))
        for (const { attempts } of records.flatMap(({ steps }) => steps))
          for (const { hash } of attempts) assert.ok(audited.has(hash), `seed ${seed}: ${hash} was signed and is not in the audit log`)
        const settled = new Set(world.settled.map(({ id }) => id))
        assert.equal(settled.size, world.chain.trades.length, `seed ${seed}`)
        if (opened.db !== null) {
          const inBooks = await opened.db.select({ amountIn: booked.amountIn, amountOut: booked.amountOut }).from(booked)
          const onChain = world.chain.trades.map(({ amountIn, amountOut }) => ({
            amountIn: formatAmount(amountIn, 6),
            amountOut: formatAmount(amountOut, 18),
          }))
          const byAmount = (a: { readonly amountIn: string }, b: { readonly amountIn: string }) => Number(a.amountIn) - Number(b.amountIn)
          assert.deepEqual(inBooks.sort(byAmount), onChain.sort(byAmount), `seed ${seed}`)
        }
      }
      const seen = `${kills} kills, ${lostAnswers} lost answers, ${trades} trades, ${failures} failures`
      const least = (ofMemory: number) => Math.floor((ofMemory * walks) / MEMORY_WALKS)
      assert.ok(kills >= least(60) && lostAnswers >= least(8) && trades >= least(70) && failures >= least(3), seen)
    })
  })
}
