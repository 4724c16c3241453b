import assert from 'node:assert/strict'
import type { RpcClient } from '@keelson/client'
import { toChecksumAddress } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import fc from 'fast-check'
import { AMOUNT_WEI, addressOf, createFaucetWorld, FAUCET_ADDRESS, START_MS } from '../../../../../test/support/faucet-world.ts'
import { CLAIM_BUCKET } from '../store-keys.ts'
import { TIER_QUOTAS, type Tier } from '../tiers/tier.ts'
import type { ClaimAnswer } from './claim-answer.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

async function readyWorld(...args: Parameters<typeof createFaucetWorld>) {
  const world = await createFaucetWorld(...args)
  await world.step()
  return world
}

function refusedFor(answer: ClaimAnswer): string | null {
  return answer.ok ? null : answer.reason
}

describe('a claim', () => {
  it('is paid once, and returns hash, amount and the next claim time', async () => {
    const world = await readyWorld()
    const address = addressOf(1)
    const answer = await world.claim({ address })
    assert.ok(answer.ok)
    assert.equal(answer.amountWei, AMOUNT_WEI)
    assert.equal(answer.nextClaimAtMs, START_MS + DAY_MS)
    assert.equal(answer.txHash, world.chain.sent[0]?.hash)
    const again = await world.claim({ address })
    assert.equal(refusedFor(again), 'address-limit')
    assert.equal(again.nextClaimAtMs, START_MS + DAY_MS)
    world.chain.mine(2)
    await world.step()
    assert.equal(world.paidWei(address), AMOUNT_WEI)
    assert.equal(world.faucet.records.latestOf(address)?.state, 'paid')
  })

  it('is paid once for any number of concurrent attempts', async () => {
    const world = await readyWorld()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => world.claim({ address: addressOf(1), subscriber: `ip ${i}` })))
    assert.equal(answers.filter(({ ok }) => ok).length, 1)
    const others = await Promise.all(Array.from({ length: 20 }, (_, i) => world.claim({ address: addressOf(10 + i), subscriber: 'one' })))
    assert.equal(others.filter(({ ok }) => ok).length, 10)
    assert.ok(others.every((answer) => answer.ok || answer.reason === 'ip-limit'))
    world.chain.mine(2)
    assert.equal(world.chain.mined().length, 11)
  })

  it('leaves the window exactly at its end', async () => {
    const world = await readyWorld()
    await world.claim({ address: addressOf(1) })
    await world.clock.advance(DAY_MS - 1)
    await world.step()
    assert.equal(refusedFor(await world.claim({ address: addressOf(1) })), 'address-limit')
    await world.clock.advance(1)
    assert.ok((await world.claim({ address: addressOf(1) })).ok)
  })

  it('with a repeated Idempotency-Key gets the earlier response; a key belongs to one address', async () => {
    const world = await readyWorld()
    const request = { address: addressOf(1), idempotencyKey: 'k1' }
    const [first, second] = await Promise.all([world.claim(request), world.claim({ ...request, subscriber: 'another network' })])
    assert.deepEqual(first, second)
    assert.ok(first.ok)
    await world.restart()
    await world.step()
    assert.deepEqual(await world.claim(request), first)
    assert.equal(refusedFor(await world.claim({ address: addressOf(2), idempotencyKey: 'k1' })), 'idempotency-key')
    assert.equal(new Set(world.chain.sent.map(({ hash }) => hash)).size, 1)
  })

  it('is refused for recipients that cannot use it', async () => {
    const world = await readyWorld()
    const good = toChecksumAddress(addressOf(0xabcdef))
    const letter = [...good].findIndex((char, i) => i > 1 && /[a-f]/.test(char))
    const wrongCase = `${good.slice(0, letter)}${good[letter]?.toUpperCase()}${good.slice(letter + 1)}`
    world.codes.set(addressOf(7), '0x6000')
    const cases: readonly (readonly [string, string])[] = [
      ['0x12', 'address'],
      [`${good}0`, 'address'],
      [wrongCase, 'address'],
      [`0x${'00'.repeat(20)}`, 'recipient'],
      [`0x${'00'.repeat(19)}04`, 'recipient'],
      [FAUCET_ADDRESS, 'recipient'],
      [addressOf(7), 'recipient'],
    ]
    for (const [address, reason] of cases) assert.equal(refusedFor(await world.claim({ address })), reason, address)
    assert.ok((await world.claim({ address: good })).ok)
    const upper = `0x${addressOf(8).slice(2).toUpperCase()}`
    assert.ok((await world.claim({ address: upper })).ok)
    world.codes.set(addressOf(9), `0xef0100${'11'.repeat(20)}`)
    assert.ok((await world.claim({ address: addressOf(9) })).ok, 'a delegated account is a person')
    assert.equal(world.chain.sent.at(-1)?.gasLimit, 42_000n)
  })

  it('releases its quotas when the account has insufficient funds', async () => {
    const world = await readyWorld()
    world.chain.balanceWei = 1n
    assert.equal(refusedFor(await world.claim({ address: addressOf(1) })), 'faucet-empty', 'the pool says so')
    assert.equal(world.faucet.records.latestOf(addressOf(1))?.state, 'failed')
    await world.step()
    assert.equal(refusedFor(await world.claim({ address: addressOf(1) })), 'faucet-empty', 'known beforehand')
    world.chain.balanceWei = 10n ** 24n
    await world.step()
    assert.ok((await world.claim({ address: addressOf(1) })).ok)
  })

  it('waits for the node without being lost, and is never sent on another chain', async () => {
    const world = await createFaucetWorld()
    assert.equal(refusedFor(await world.claim({ address: addressOf(1) })), 'node-unavailable')
    Object.assign(world.chain.rpc.methods, { eth_chainId: () => '0x1' })
    await assert.rejects(world.faucet.step(), { code: 'apps/faucet-chain' })
    Object.assign(world.chain.rpc.methods, { eth_chainId: () => '0x14a34' })
    await world.step()
    assert.ok((await world.claim({ address: addressOf(1) })).ok)
  })

  it('requires a captcha where configured, and is refused while it cannot be verified', async () => {
    let verdict: 'passed' | 'refused' | 'unavailable' = 'unavailable'
    const captcha = { required: true, check: async () => verdict, close: () => undefined }
    const world = await readyWorld({}, { captcha })
    assert.equal(refusedFor(await world.claim({ address: addressOf(1) })), 'captcha')
    assert.equal(refusedFor(await world.claim({ address: addressOf(1), captcha: 'x' })), 'captcha-unavailable')
    verdict = 'refused'
    assert.equal(refusedFor(await world.claim({ address: addressOf(1), captcha: 'x' })), 'captcha')
    verdict = 'passed'
    assert.ok((await world.claim({ address: addressOf(1), captcha: 'x' })).ok)
  })
})

describe('a claim at the start of the faucet', () => {
  it('is sent once, and only when its reservation is on disk', async () => {
    const gates: { range?: Promise<void>; batch?: Promise<void> } = {}
    let openRange: () => void = () => undefined
    let openBatch: () => void = () => undefined
    const wrap = {
      rpc: (inner: RpcClient) => inner,
      store: (inner: KeyValueStore): KeyValueStore => ({
        getSync: (at) => inner.getSync(at),
        async *range(from, to, options) {
          await gates.range
          yield* inner.range(from, to, options)
        },
        async batch(ops, options) {
          if (ops.every((op) => 'put' in op && op.put[0] === CLAIM_BUCKET)) await gates.batch
          return inner.batch(ops, options)
        },
        close: () => inner.close(),
      }),
    }
    const world = await createFaucetWorld({}, {}, wrap)
    gates.range = new Promise((resolve) => {
      openRange = resolve
    })
    const starting = world.faucet.step()
    await world.settle()
    gates.batch = new Promise((resolve) => {
      openBatch = resolve
    })
    const answer = world.claim({ address: addressOf(1) })
    await world.settle()
    openRange()
    await world.settle()
    assert.equal(world.chain.sent.length, 0, 'its reservation is not on disk yet')
    openBatch()
    await starting
    assert.ok((await answer).ok)
    await world.settle()
    assert.equal(world.chain.sent.length, 1)
  })
})

interface Accepted {
  readonly address: number
  readonly ip: number
  readonly atMs: number
}

const subscriberAt = (ip: number) => `4:${(0x0a000000 + ((ip >> 1) << 8) + (ip & 1)).toString(16)}`

function letIn(accepted: readonly Accepted[], claim: Accepted, tier: Tier): boolean {
  const within = (windowMs: number, mine: (other: Accepted) => boolean) =>
    accepted.filter((other) => mine(other) && other.atMs > claim.atMs - windowMs).length
  const { claims, windowMs } = TIER_QUOTAS[tier]
  return (
    within(windowMs, ({ address }) => address === claim.address) < claims &&
    within(DAY_MS, ({ ip }) => ip === claim.ip) < 10 &&
    within(DAY_MS, ({ ip }) => ip >> 1 === claim.ip >> 1) < 14 &&
    within(DAY_MS, () => true) < 24
  )
}

function nextLetIn(accepted: readonly Accepted[], claim: Accepted, tier: Tier): number {
  const moments = accepted.flatMap(({ atMs }) => [atMs + 12 * HOUR_MS, atMs + DAY_MS]).filter((atMs) => atMs > claim.atMs)
  return [claim.atMs, ...moments].sort((a, b) => a - b).find((atMs) => letIn(accepted, { ...claim, atMs }, tier)) as number
}

describe('claims in any order', () => {
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('claim' as const), address: fc.nat(3), ip: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 13 * HOUR_MS }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('tier' as const), address: fc.nat(3), to: fc.constantFrom('grant', 'revoke') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  )

  it('follow the quotas exactly, and each refusal returns the right time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
        const world = await readyWorld({ claimsPerDay: 24, claimsPerNetwork: { site: 1, network: 14, provider: 30 } })
        const accepted: Accepted[] = []
        const developers = new Set<number>()
        for (const action of steps) {
          if (action.kind === 'wait') await world.clock.advance(action.ms)
          if (action.kind === 'restart') await world.restart()
          if (action.kind === 'tier') {
            await world.faucet.task(action.to, { address: addressOf(action.address) })
            if (action.to === 'grant') developers.add(action.address)
            else developers.delete(action.address)
          }
          if (action.kind !== 'claim') {
            world.chain.mine(2)
            await world.step()
            continue
          }
          const { address, ip } = action
          const claim = { address, ip, atMs: world.clock.nowMs() }
          const tier = developers.has(address) ? 'developer' : 'anonymous'
          const answer = await world.claim({ address: addressOf(address), subscriber: subscriberAt(ip) })
          assert.equal(answer.ok, letIn(accepted, claim, tier))
          if (answer.ok) accepted.push(claim)
          assert.equal(answer.nextClaimAtMs, nextLetIn(accepted, claim, tier))
        }
        world.chain.mine(2)
        await world.step()
        for (const n of [0, 1, 2, 3]) {
          const expected = BigInt(accepted.filter(({ address }) => address === n).length) * AMOUNT_WEI
          assert.equal(world.paidWei(addressOf(n)), expected)
        }
      }),
      { numRuns: 60 },
    )
  })
})
