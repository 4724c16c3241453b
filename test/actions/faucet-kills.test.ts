import assert from 'node:assert/strict'
import { ClientError } from '@keelson/client'
import { bytesToHex, formatQuantity } from '@keelson/primitives'
import { createSeededRandom } from '@keelson/runtime'
import { AMOUNT_WEI, addressOf, createFaucetWorld, type FaucetWorld } from '../support/faucet-world.ts'
import { createMortal, type Mortal } from '../support/mortal.ts'

const WALKS = 40
const STEPS = 50
const ADDRESSES = 12
const DAY_MS = 86_400_000

interface Walk {
  readonly world: FaucetWorld
  readonly kills: number
  readonly promised: ReadonlyMap<string, readonly string[]>
  readonly lostAnswers: number
  readonly repeated: number
  /** Confirmed payments that a reorg removed. */
  readonly undone: number
}

async function wander(seed: number, maxReorg: number): Promise<Walk> {
  const random = createSeededRandom(seed)
  const pick = (n: number) => Math.floor(random.next() * n)
  let kills = 0
  let lostAnswers = 0
  let undone = 0
  let life: Mortal = createMortal()
  const promised = new Map<string, string[]>()
  const wrapOf = (mortal: Mortal) => ({ rpc: mortal.rpc, store: mortal.store })
  const world = await createFaucetWorld({ maxInFlight: 4, resubmitAfterMs: 5_000 }, {}, wrapOf(life))
  const { chain, clock } = world
  const accept = chain.rpc.methods.eth_sendRawTransaction as (raw: string) => unknown
  const nonceOf = chain.rpc.methods.eth_getTransactionCount as (account: string, at: string) => unknown
  let mayReorg = false
  let repeats: 'never' | 'at once' | 'after a block' = 'never'
  let repeated = 0
  let lateNonces = 0
  let slowNonces = 0
  let release: () => void = () => undefined
  chain.rpc.methods.eth_getTransactionCount = ((account: string, at: string) => {
    if (at !== 'latest' && at !== 'pending') return nonceOf(account, at)
    const answer =
      lateNonces === 0 ? nonceOf(account, at) : nonceOf(account, formatQuantity(Math.max(0, chain.blockCount - 1 - lateNonces)))
    if (slowNonces === 0) return answer
    slowNonces--
    return new Promise((resolve) => {
      const before = release
      release = () => {
        before()
        resolve(answer)
      }
    })
  }) as never
  let loseNext: 'never' | 'before' | 'after' = 'never'
  chain.rpc.methods.eth_sendRawTransaction = ((raw: string) => {
    const lost = loseNext
    loseNext = 'never'
    const answer = lost === 'before' ? null : accept(raw)
    if (lost !== 'before' && repeats !== 'never') {
      repeated++
      if (repeats === 'after a block') chain.mine()
      repeats = 'never'
      accept(raw)
    }
    if (lost === 'never') return answer
    lostAnswers++
    throw new ClientError('client/timeout', 'temporary', 'no answer')
  }) as never

  const confirmed = () => {
    const hashes = new Set(chain.mined().map(({ hash }) => hash))
    return [...world.faucet.records.all()].filter(({ state, attempts }) => state === 'paid' && attempts.some((hash) => hashes.has(hash)))
  }

  async function work(): Promise<void> {
    const stepping = world.step().catch(() => undefined)
    await world.settle()
    slowNonces = 0
    release()
    await Promise.race([stepping, life.death])
    await world.settle()
    if (life.alive) return
    kills++
    life = createMortal()
    await world.restart(wrapOf(life))
  }

  for (let step = 0; step < STEPS; step++) {
    const what = pick(16)
    if (what === 12) repeats = pick(2) === 0 ? 'at once' : 'after a block'
    else if (what === 13) lateNonces = pick(4)
    else if (what === 14) chain.receiptsLag = !chain.receiptsLag
    else if (what <= 4 || what === 15) {
      if (what === 15) slowNonces = 1 + pick(4)
      for (let i = pick(4); i >= 0; i--) {
        const address = addressOf(pick(ADDRESSES))
        void world
          .claim({ address, subscriber: `ip ${pick(40)}` })
          .then((answer) => {
            if (answer.ok) promised.set(address, [...(promised.get(address) ?? []), answer.txHash])
          })
          .catch(() => undefined)
      }
      await world.settle()
    } else if (what === 5) life.dieAt(1 + pick(20), pick(2) === 0)
    else if (what === 6) loseNext = pick(2) === 0 ? 'before' : 'after'
    else if (what === 7) chain.pool.clear()
    else if (what === 8 && mayReorg) {
      const before = confirmed().length
      chain.reorg(Math.min(1 + pick(maxReorg), chain.blockCount - 1), pick(2) === 0)
      undone += before - confirmed().length
      mayReorg = false
    } else if (what === 9) chain.baseFeeWei = BigInt(500 + pick(4_000))
    else {
      chain.mine(1 + pick(2))
      mayReorg = true
    }
    await clock.advance(1_000)
    await work()
  }
  chain.baseFeeWei = 500n
  chain.receiptsLag = false
  lateNonces = 0
  repeats = 'never'
  life = createMortal()
  await world.restart(wrapOf(life))
  for (let i = 0; i < 60; i++) {
    await clock.advance(6_000)
    await work()
    chain.mine(1)
  }
  return { world, kills, promised, lostAnswers, repeated, undone }
}

describe('a faucet that is killed at any step', () => {
  it('pays every stored claim exactly once, within the limits of the tiers', async () => {
    let kills = 0
    let lostAnswers = 0
    let repeated = 0
    let payments = 0
    for (let seed = 1; seed <= WALKS; seed++) {
      const walk = await wander(seed * 13, 1)
      const { world, promised } = walk
      kills += walk.kills
      lostAnswers += walk.lostAnswers
      repeated += walk.repeated
      const claims = [...world.faucet.records.all()]
      for (const { id, state } of claims)
        assert.ok(state === 'paid' || state === 'failed', `seed ${seed}: claim ${id} is ${state} at the end`)
      const hashes = new Set(world.chain.mined().map(({ hash }) => hash))
      for (let n = 0; n < ADDRESSES; n++) {
        const address = addressOf(n)
        const kept = claims.filter((claim) => claim.address === address && claim.state === 'paid')
        assert.equal(world.paidWei(address), BigInt(kept.length) * AMOUNT_WEI, `seed ${seed}: ${address}`)
        assert.ok(kept.length <= 1, `seed ${seed}: ${address} has ${kept.length} claims within ${DAY_MS} ms`)
        assert.ok((promised.get(address) ?? []).length <= kept.length, `seed ${seed}: ${address} was promised more than it got`)
        for (const claim of kept)
          assert.equal(claim.attempts.filter((hash) => hashes.has(hash)).length, 1, `seed ${seed}: claim ${claim.id}`)
        payments += kept.length
      }
      const others = world.chain
        .mined()
        .filter((tx) => tx.valueWei > 0n)
        .filter((tx) => tx.to === null || !claims.some(({ address }) => address === bytesToHex(tx.to as Uint8Array)))
      assert.deepEqual(others, [], `seed ${seed}`)
    }
    assert.ok(
      kills >= 40 && lostAnswers >= 20 && repeated >= 20 && payments >= 150,
      `${kills} kills, ${lostAnswers} lost answers, ${repeated} repeated, ${payments} payments`,
    )
  })

  it('pays every stored claim exactly once when L2 loses more blocks than its confirmation depth', async () => {
    let undone = 0
    for (let seed = 1; seed <= WALKS / 2; seed++) {
      const walk = await wander(seed * 29, 4)
      undone += walk.undone
      for (let n = 0; n < ADDRESSES; n++) {
        const kept = [...walk.world.faucet.records.all()].filter(({ address, state }) => address === addressOf(n) && state !== 'failed')
        assert.equal(walk.world.paidWei(addressOf(n)), BigInt(kept.length) * AMOUNT_WEI, `seed ${seed}: ${addressOf(n)}`)
        assert.ok(kept.length <= 1)
      }
    }
    assert.ok(undone >= 10, `reorgs removed ${undone} confirmed payments`)
  })
})
