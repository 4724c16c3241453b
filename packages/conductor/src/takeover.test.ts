import assert from 'node:assert/strict'
import type { Hash } from '@keelson/primitives'
import { setupArbiter } from './arbiter.test-support.ts'
import { blockOn, GENESIS } from './conductor.test-support.ts'
import { ConductorError } from './errors.ts'

describe('a takeover', () => {
  it('does not wait for an L1 that hangs: the new leader records its first block at once', async () => {
    let asked = 0
    const hanging = { hashAt: () => new Promise<Hash | null>(() => void asked++) }
    const { arbiter, a, b, seal, clock } = setupArbiter({ l1: hanging })
    await arbiter.step()
    await arbiter.step()
    for (let i = 0; i < 3; i++) await seal(a)
    await clock.advance(7_000)
    const moving = arbiter.step()
    await clock.advance(1_000)
    await moving
    assert.deepEqual([arbiter.leader?.id, asked], ['b', 1])
    await arbiter.step()
    assert.equal(asked, 1, 'L1 is not asked before the new leader had its time')
    assert.equal((await seal(b)).outcome.kind, 'recorded')
    await clock.advance(5_000)
    const checking = arbiter.step()
    await clock.advance(0)
    assert.equal(asked, 2)
    assert.equal((await seal(b)).outcome.kind, 'recorded', 'blocks are recorded while L1 is asked')
    await clock.advance(1_000)
    await checking
  })

  for (const [symptom, contains] of [
    ['does not restore blocks that L1 reverted, from a candidate that has not noticed it', true],
    ['is not held up by a candidate on blocks that L1 reverted', false],
  ] as const) {
    it(symptom, async () => {
      const before = setupArbiter()
      await before.arbiter.step()
      await before.arbiter.step()
      const { block: one } = await before.seal(before.a)
      const { arbiter, a, b, canonical, clock } = setupArbiter({ store: before.store })
      const old = blockOn(contains ? one : blockOn(GENESIS, 1).block).block
      a.state = { ...a.state, unsafe: one, unsafeOrigin: { number: 1, hash: GENESIS.hash } }
      b.state = { ...b.state, unsafe: blockOn(old).block, unsafeOrigin: { number: 2, hash: old.hash } }
      b.chain.set(1, contains ? one.hash : blockOn(GENESIS, 1).block.hash)
      canonical.set(1, GENESIS.hash).set(2, one.hash)
      for (let i = 0; i < 3; i++) await arbiter.step()
      if (contains) {
        assert.deepEqual([a.told, b.told], [[], []], 'b may keep blocks that extend the record')
        await clock.advance(30_000)
        for (let i = 0; i < 3; i++) await arbiter.step()
      }
      assert.deepEqual([arbiter.head?.hash, a.told, b.told], [one.hash, [`start ${one.hash}`], []])
    })
  }

  it('continues from the blocks that a candidate keeps when L1 reverts its newest', async () => {
    const before = setupArbiter()
    await before.arbiter.step()
    await before.arbiter.step()
    const { block: one } = await before.seal(before.a)
    const { arbiter, a, b, canonical } = setupArbiter({ store: before.store })
    const two = blockOn(one).block
    const origin = { number: 1, hash: GENESIS.hash }
    canonical.set(1, GENESIS.hash).set(2, one.hash)
    a.state = { ...a.state, unsafe: one, unsafeOrigin: origin }
    b.chain.set(1, one.hash)
    b.state = { ...b.state, unsafe: blockOn(two).block, unsafeOrigin: { number: 2, hash: two.hash } }
    for (let i = 0; i < 3; i++) await arbiter.step()
    assert.deepEqual([arbiter.head?.hash, a.told, b.told], [one.hash, [], []])
    b.state = { ...b.state, unsafe: two, unsafeOrigin: origin }
    for (let i = 0; i < 3; i++) await arbiter.step()
    assert.equal(arbiter.head?.hash, two.hash)
  })

  it('begins a record with the blocks that a candidate keeps when L1 reverts its newest', async () => {
    const { arbiter, a, b, canonical } = setupArbiter()
    const one = blockOn(GENESIS).block
    const origin = { number: 1, hash: GENESIS.hash }
    canonical.set(1, GENESIS.hash).set(2, one.hash)
    a.state = { ...a.state, unsafeOrigin: origin }
    b.state = { ...b.state, unsafe: blockOn(one).block, unsafeOrigin: { number: 2, hash: GENESIS.hash } }
    for (let i = 0; i < 3; i++) await arbiter.step()
    assert.deepEqual([arbiter.head, b.told], [null, []])
    b.state = { ...b.state, unsafe: one, unsafeOrigin: origin }
    for (let i = 0; i < 3; i++) await arbiter.step()
    assert.equal(arbiter.head?.hash, one.hash)
  })

  it('gives a leader its time when the answer to the grant was lost', async () => {
    let isLost = true
    const { arbiter, a, b, clock } = setupArbiter({
      around: (ledger) => ({
        ...ledger,
        get lease() {
          return ledger.lease
        },
        get head() {
          return ledger.head
        },
        async grant(holder, term) {
          const granted = await ledger.grant(holder, term)
          if (isLost) throw new ConductorError('temporary', 'no answer')
          return granted
        },
      }),
    })
    await clock.advance(60_000)
    await assert.rejects(arbiter.step(), /no answer/)
    isLost = false
    await arbiter.step()
    await arbiter.step()
    assert.deepEqual([arbiter.leader?.id, arbiter.term, a.told, b.told], ['a', 1, [`start ${GENESIS.hash}`], []])
  })
})
