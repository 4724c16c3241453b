import assert from 'node:assert/strict'
import type { RpcClient } from '@keelson/client'
import { createSeededRandom, type KeyValueStore, RuntimeError } from '@keelson/runtime'
import type { Faucet } from '../../packages/apps/src/faucet/create-faucet.ts'
import { AMOUNT_WEI, addressOf, createFaucetWorld } from '../support/faucet-world.ts'

const WALKS = 15
const STEPS = 60
const ADDRESSES = 12

/** A process that can be stopped between any two effects, and continued. */
function createProcess() {
  let running: Promise<void> = Promise.resolve()
  let resume: () => void = () => undefined
  let left = Number.POSITIVE_INFINITY
  const pause = () => {
    running = new Promise((resolve) => {
      resume = resolve
    })
  }
  async function effect<T>(work: () => Promise<T>): Promise<T> {
    if (--left === 0) pause()
    await running
    try {
      return await work()
    } finally {
      if (--left === 0) pause()
      await running
    }
  }
  return {
    /** Pauses before or after one of the next effects. */
    pauseAt(effects: number) {
      left = effects
    },
    resume() {
      left = Number.POSITIVE_INFINITY
      resume()
    },
    rpc: (inner: RpcClient): RpcClient => ({
      host: inner.host,
      call: (method, params, options) => effect(() => inner.call(method, params, options)),
      batch: (calls) => effect(() => inner.batch(calls)),
      close: () => inner.close(),
    }),
    store: (inner: KeyValueStore): KeyValueStore => ({ ...inner, batch: (ops, options) => effect(() => inner.batch(ops, options)) }),
  }
}

/** As a database keeps its leader's session: a new one ends the right of the one before to write. */
function createSessions() {
  let newest = 0
  let refused = 0
  return {
    get refused() {
      return refused
    },
    open(disk: KeyValueStore): KeyValueStore {
      const mine = ++newest
      return {
        ...disk,
        async batch(ops, options) {
          if (mine === newest) return disk.batch(ops, options)
          refused++
          throw new RuntimeError('runtime/not-leader', 'another session leads')
        },
      }
    },
  }
}

async function wander(seed: number) {
  const random = createSeededRandom(seed)
  const pick = (n: number) => Math.floor(random.next() * n)
  const sessions = createSessions()
  const wrapOf = (process: ReturnType<typeof createProcess>) => ({
    rpc: process.rpc,
    store: (disk: KeyValueStore) => process.store(sessions.open(disk)),
  })
  let leading = createProcess()
  const world = await createFaucetWorld({ maxInFlight: 4, resubmitAfterMs: 5_000 }, {}, wrapOf(leading))
  const paused: { readonly process: ReturnType<typeof createProcess>; readonly faucet: Faucet }[] = []
  const deposed: Faucet[] = []
  let takeovers = 0

  async function work(): Promise<void> {
    for (const faucet of [world.faucet, ...deposed]) {
      void faucet.step().catch(() => undefined)
      void faucet.manager.step().catch(() => undefined)
    }
    await world.settle()
  }
  async function takeOver(): Promise<void> {
    takeovers++
    paused.push({ process: leading, faucet: world.faucet })
    leading = createProcess()
    await world.restart(wrapOf(leading))
  }
  function continueOne(): void {
    const [old] = paused.splice(pick(paused.length), 1)
    if (old === undefined) return
    deposed.push(old.faucet)
    old.process.resume()
  }

  for (let step = 0; step < STEPS; step++) {
    const what = pick(10)
    if (what <= 3) {
      const asked = [world.faucet, ...deposed][pick(2)] ?? world.faucet
      for (let i = pick(4); i >= 0; i--) {
        const request = { address: addressOf(pick(ADDRESSES)), captcha: null, remoteIp: '192.0.2.1', idempotencyKey: null }
        void asked.claims.claim({ ...request, subscriber: `ip ${pick(40)}` }, new AbortController().signal).catch(() => undefined)
      }
    } else if (what === 4) leading.pauseAt(1 + pick(30))
    else if (what === 5) await takeOver()
    else if (what === 6) continueOne()
    else if (what === 7) world.chain.baseFeeWei = BigInt(500 + pick(4_000))
    else world.chain.mine(1 + pick(2))
    await world.settle()
    await world.clock.advance(1_000)
    await work()
  }
  world.chain.baseFeeWei = 500n
  await takeOver()
  while (paused.length > 0) continueOne()
  for (let i = 0; i < 60; i++) {
    await world.clock.advance(6_000)
    await work()
    world.chain.mine(1)
  }
  return { world, takeovers, refused: sessions.refused }
}

describe('faucets that take over from each other', () => {
  it('pay every stored claim exactly once, also when a paused one continues after its successor has paid', async () => {
    let takeovers = 0
    let refused = 0
    let payments = 0
    for (let seed = 1; seed <= WALKS; seed++) {
      const walk = await wander(seed * 17)
      takeovers += walk.takeovers
      refused += walk.refused
      const claims = [...walk.world.faucet.records.all()]
      for (const { id, state } of claims) assert.ok(state === 'paid' || state === 'failed', `seed ${seed}: claim ${id} is ${state}`)
      for (let n = 0; n < ADDRESSES; n++) {
        const kept = claims.filter(({ address, state }) => address === addressOf(n) && state === 'paid')
        assert.ok(kept.length <= 1, `seed ${seed}: ${addressOf(n)} has ${kept.length} claims in a day`)
        assert.equal(walk.world.paidWei(addressOf(n)), BigInt(kept.length) * AMOUNT_WEI, `seed ${seed}: ${addressOf(n)}`)
        payments += kept.length
      }
    }
    assert.ok(takeovers >= 60 && refused >= 30 && payments >= 50, `${takeovers} takeovers, ${refused} refused writes, ${payments} payments`)
  })
})
