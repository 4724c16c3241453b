import assert from 'node:assert/strict'
import { envelopeToJson } from '@keelson/primitives'
import { setupArbiter } from './arbiter.test-support.ts'
import { blockOn, GENESIS } from './conductor.test-support.ts'

describe('the arbiter', () => {
  it('begins with the highest block of any candidate, once all answer, and starts its holder there', async () => {
    const { arbiter, a, b } = setupArbiter()
    const first = blockOn(GENESIS).block
    b.state = { ...b.state, unsafe: first }
    a.answers = false
    await arbiter.step()
    assert.equal(arbiter.head, null)
    a.answers = true
    await arbiter.step()
    assert.deepEqual(arbiter.head, { number: 1, hash: first.hash })
    await arbiter.step()
    assert.equal(arbiter.leader?.id, 'b')
    assert.deepEqual(b.told, [`start ${first.hash}`])
    assert.deepEqual(a.told, [])
  })

  it('records blocks of the leader alone, each on the one before, one at a height', async () => {
    const { arbiter, a, seal, b } = setupArbiter()
    await arbiter.step()
    await arbiter.step()
    assert.equal(arbiter.leader?.id, 'a')
    const one = await seal(a)
    assert.deepEqual(one.outcome, { kind: 'recorded' })
    assert.deepEqual(await arbiter.commit('a', one), { kind: 'recorded' }, 'the same block again')
    const reasons = [
      await arbiter.commit('a', blockOn(GENESIS, 1)),
      await arbiter.commit('b', blockOn(one.block)),
      await arbiter.commit('a', blockOn(blockOn(one.block).block)),
      await arbiter.commit('a', blockOn({ ...one.block, hash: b.state.unsafe.hash })),
      await arbiter.commit('a', { ...blockOn(one.block), payload: { ...blockOn(one.block).payload, gasUsed: 99n } }),
    ].map((outcome) => (outcome.kind === 'refused' ? outcome.reason : 'recorded'))
    const expected = [
      /^block 1 is recorded as 0x/,
      /^b is not the leader \(term 1 is a's\)/,
      /^block 3 .* does not extend/,
      /^block 2 .* does not extend/,
      /its fields give/,
    ]
    for (const [i, pattern] of expected.entries()) assert.match(reasons[i] as string, pattern)
    assert.equal(arbiter.head?.hash, one.block.hash)
  })

  it('knows after a restart who led and what was recorded', async () => {
    const { arbiter, a, seal, store } = setupArbiter()
    await arbiter.step()
    await arbiter.step()
    const { block } = await seal(a)
    const again = setupArbiter({ store })
    assert.equal(again.arbiter.leads('a'), true)
    assert.equal(again.arbiter.term, 1)
    assert.equal(again.arbiter.head?.hash, block.hash)
    assert.equal((await again.arbiter.commit('a', blockOn(GENESIS, 5))).kind, 'refused')
  })

  it('moves on from a leader that records nothing, and gives the next one the blocks it lacks', async () => {
    const { arbiter, a, b, seal, clock } = setupArbiter()
    await arbiter.step()
    await arbiter.step()
    for (let i = 0; i < 3; i++) await seal(a)
    await clock.advance(7_000)
    await arbiter.step()
    assert.equal(arbiter.leader?.id, 'b')
    assert.ok(a.told.includes('stop'))
    assert.deepEqual(b.told, ['post 1', 'post 2', 'post 3'])
    await arbiter.step()
    assert.equal(b.told.at(-1), `start ${a.state.unsafe.hash}`)
    assert.equal((await seal(b)).outcome.kind, 'recorded')
    assert.equal((await seal(a)).outcome.kind, 'refused')
  })

  it('keeps a leader that it does not reach while blocks come from it', async () => {
    const { arbiter, a, seal, clock } = setupArbiter()
    await arbiter.step()
    await arbiter.step()
    a.answers = false
    for (let i = 0; i < 6; i++) {
      await clock.advance(2_000)
      await seal(a)
      await arbiter.step()
    }
    assert.equal(arbiter.leader?.id, 'a')
    assert.equal(arbiter.term, 1)
  })

  it('does not choose one that is elsewhere, has too few peers, or an old safe head', async () => {
    const { arbiter, a, b, operate, clock } = setupArbiter({ options: { minPeers: 1, safeIntervalMs: 60_000 } })
    await arbiter.step()
    await arbiter.step()
    const transfer = () =>
      operate('transferLeader', 'b').then(
        () => 'moved',
        (error: Error) => error.message,
      )
    b.state = { ...b.state, unsafe: blockOn(GENESIS, 9).block }
    assert.match(await transfer(), /^b cannot lead: its unsafe head is 1 .*not the recorded head/)
    b.state = { ...a.state, active: false, peers: 0 }
    assert.match(await transfer(), /^b cannot lead: it has 0 peers, at least 1 are needed/)
    b.state = { ...b.state, peers: 1 }
    await clock.advance(61_000)
    assert.match(await transfer(), /^b cannot lead: its safe head 0 is 61 s old, at most 60 s are allowed/)
    b.answers = false
    assert.match(await transfer(), /^b cannot lead: it does not answer: connection refused/)
  })

  it('moves on at once from a leader that refuses to begin, to one that has not failed', async () => {
    const { arbiter, a, b } = setupArbiter()
    a.refuses = 'the sequencer cannot lead yet: it has not read all of L1 yet'
    for (let i = 0; i < 4; i++) await arbiter.step()
    assert.equal(arbiter.leader?.id, 'b')
    assert.equal(b.state.active, true)
  })

  async function recordOfTwo() {
    const before = setupArbiter()
    await before.arbiter.step()
    await before.arbiter.step()
    const one = await before.seal(before.a)
    const two = await before.seal(before.a)
    const again = setupArbiter({ store: before.store })
    again.b.state = { ...again.b.state, unsafe: two.block }
    return { ...again, one: one.block, two: two.block }
  }
  const steps = async (arbiter: { step(): Promise<unknown> }, n = 4) => {
    for (let i = 0; i < n; i++) await arbiter.step()
  }

  it('continues from blocks that a candidate made without it, and lets no other build on its old head', async () => {
    const { arbiter, a, b, two } = await recordOfTwo()
    const three = blockOn(two).block
    const four = blockOn(three).block
    a.chain.set(2, two.hash).set(3, three.hash)
    a.state = { ...a.state, unsafe: four }
    a.answers = false
    await steps(arbiter)
    assert.deepEqual(b.told, [], 'a may hold more than is recorded')
    a.answers = true
    await steps(arbiter)
    assert.equal(arbiter.head?.hash, four.hash)
    assert.deepEqual(a.told, [`start ${four.hash}`])
    assert.deepEqual(b.told, [])
  })

  it('lets nobody lead while a candidate has a higher chain without the recorded head, until L1 decides', async () => {
    const { arbiter, a, b, one, two } = await recordOfTwo()
    const other = blockOn(one, 5).block
    const three = blockOn(other).block
    a.chain.set(2, other.hash)
    a.state = { ...a.state, unsafe: three }
    await steps(arbiter)
    assert.deepEqual([arbiter.head?.hash, a.told, b.told], [two.hash, [], []])
    assert.match((await arbiter.transfer('b')) ?? '', /nobody may lead yet/)
    a.state = { ...a.state, safe: other }
    await steps(arbiter)
    assert.equal(arbiter.head?.hash, three.hash)
    assert.deepEqual(a.told, [`start ${three.hash}`])
  })

  it('does not wait for ever for a candidate that does not answer', async () => {
    const { arbiter, a, b, two, clock } = await recordOfTwo()
    a.answers = false
    await steps(arbiter)
    assert.deepEqual(b.told, [])
    await clock.advance(31_000)
    await steps(arbiter)
    await clock.advance(7_000)
    await steps(arbiter)
    assert.deepEqual(b.told, [`start ${two.hash}`])
  })

  it('says once why a leader does not begin, however often it is asked', async () => {
    const { arbiter, a, b, said } = setupArbiter()
    a.refuses = 'it has not read all of L1 yet'
    b.answers = false
    await steps(arbiter)
    assert.equal(said.length, 1, said.join())
    b.answers = true
    b.refuses = 'it has not read all of L1 yet'
    await steps(arbiter, 40)
    const refusals = said.filter((line) => line.startsWith('the leader does not start'))
    assert.deepEqual(refusals, ['the leader does not start: a', 'the leader does not start: b'])
    assert.ok(said.length <= 4, said.join())
  })

  it('leaves a sequencer alone that an operator overrode, starts no other, and continues from its blocks when it restarts', async () => {
    const { arbiter, a, b, seal, clock } = setupArbiter()
    await steps(arbiter, 2)
    const { block: one } = await seal(a)
    a.state = { ...a.state, active: false }
    const two = blockOn(one).block
    b.chain.set(1, one.hash)
    b.state = { ...b.state, unsafe: two, overridden: true, active: true }
    const told = [...a.told]
    for (let i = 0; i < 8; i++) {
      await clock.advance(5_000)
      await arbiter.step()
    }
    assert.deepEqual([a.told, b.told, arbiter.head?.hash], [told, [], one.hash])
    assert.equal(await arbiter.transfer('b'), 'b seals without the conductor: restart its consensus client first')
    b.answers = false
    for (let i = 0; i < 8; i++) {
      await clock.advance(5_000)
      await arbiter.step()
    }
    assert.deepEqual(a.told, told, 'nobody builds on the old head while it restarts')
    b.answers = true
    b.state = { ...b.state, overridden: false, active: false }
    await steps(arbiter)
    await clock.advance(7_000)
    await steps(arbiter)
    assert.deepEqual([arbiter.head?.hash, b.state.active], [two.hash, true])
  })

  it('lets no leader seal beside a sequencer that an operator overrode and started, and says what to do', async () => {
    const { arbiter, a, b, seal, said } = setupArbiter()
    await steps(arbiter)
    const { block: one } = await seal(a)
    b.state = { ...b.state, unsafe: one, overridden: true }
    await steps(arbiter)
    assert.equal((await seal(a)).outcome.kind, 'recorded', 'b does not seal yet')
    b.state = { ...b.state, unsafe: blockOn(one, 1).block, active: true }
    await arbiter.step()
    assert.deepEqual([a.state.active, b.state.active, a.told.at(-1), b.told], [false, true, 'stop', []])
    assert.ok(said.includes('an operator overrode a sequencer that does not lead: the leader may not seal beside it'), said.join())
    const { outcome } = await seal(a)
    assert.deepEqual(outcome, { kind: 'refused', reason: 'an operator overrode b, which seals without the record' })
    assert.equal(arbiter.head?.number, 2)
  })

  it('continues from the blocks that a candidate made while the conductor was paused', async () => {
    const { arbiter, a, b, seal, clock } = setupArbiter()
    await steps(arbiter, 2)
    const { block: one } = await seal(a)
    arbiter.paused = true
    const two = blockOn(one).block
    a.state = { ...a.state, active: false }
    b.chain.set(1, one.hash)
    b.state = { ...b.state, unsafe: two, active: true }
    await steps(arbiter)
    arbiter.paused = false
    await steps(arbiter)
    assert.equal(arbiter.head?.hash, two.hash)
    await clock.advance(7_000)
    await steps(arbiter)
    assert.equal(arbiter.leader?.id, 'b')
  })

  it('gives up recorded blocks whose L1 origin was replaced, and no others', async () => {
    const { arbiter, a, b, seal, clock, canonical } = setupArbiter()
    canonical.set(1, GENESIS.hash)
    await arbiter.step()
    await arbiter.step()
    for (let i = 0; i < 3; i++) await seal(a)
    await clock.advance(5_000)
    await arbiter.step()
    assert.equal(arbiter.head?.number, 3)
    canonical.set(1, blockOn(GENESIS).block.hash)
    a.state = { ...a.state, unsafe: GENESIS }
    b.state = { ...b.state, unsafe: GENESIS }
    await arbiter.step()
    assert.equal(arbiter.head?.hash, GENESIS.hash)
    assert.equal((await seal(arbiter.leader?.id === 'a' ? a : b, 4)).outcome.kind, 'recorded')
  })

  it('gives up recorded blocks when derivation made others of what is on L1, unless candidates disagree about that', async () => {
    const { arbiter, a, b, seal, clock } = setupArbiter()
    await arbiter.step()
    await arbiter.step()
    const one = await seal(a)
    await seal(a)
    await clock.advance(5_000)
    const derived = blockOn(GENESIS, 7).block
    a.state = { ...a.state, safe: one.block }
    b.state = { ...b.state, unsafe: derived, safe: derived }
    await arbiter.step()
    assert.equal(arbiter.head?.number, 2, 'one says so, the other contradicts it')
    a.state = { ...a.state, unsafe: derived, safe: derived }
    await arbiter.step()
    assert.equal(arbiter.head?.hash, derived.hash)
  })
})

describe('conductor_*', () => {
  it('answers in the shapes that op-node and op-conductor’s callers read', async () => {
    const { arbiter, call, operate, a, b } = setupArbiter()
    await arbiter.step()
    await arbiter.step()
    const servers = [
      { id: 'a', addr: 'memory:a', suffrage: 0 },
      { id: 'b', addr: 'memory:b', suffrage: 0 },
    ]
    assert.deepEqual([await call('a', 'leader'), await call('b', 'leader')], [true, false])
    assert.deepEqual(await call('b', 'leaderWithID'), servers[0])
    assert.deepEqual(await call('b', 'clusterMembership'), { servers, version: 1 })
    assert.deepEqual([await call('a', 'active'), await call('a', 'paused'), await call('a', 'stopped')], [true, false, false])
    assert.equal(await operate('pause'), null)
    assert.deepEqual([await call('a', 'active'), await operate('paused')], [false, true])
    assert.equal(await operate('resume'), null)
    assert.equal(await operate('sequencerHealthy', 'b'), true)
    assert.equal(await call('b', 'sequencerHealthy'), true)
    b.answers = false
    await arbiter.step()
    assert.deepEqual([await call('a', 'sequencerHealthy'), await call('b', 'sequencerHealthy')], [true, false])
    assert.equal(await call('a', 'commitUnsafePayload', envelopeToJson(blockOn(a.state.unsafe))), null)
    assert.equal(arbiter.head?.number, 1)
  })

  it('refuses what it cannot use, with a reason', async () => {
    const { arbiter, call, operate } = setupArbiter()
    await arbiter.step()
    await arbiter.step()
    const refusals: readonly (readonly [number, RegExp, string, ...unknown[]])[] = [
      [-32602, /payload envelope/, 'commitUnsafePayload'],
      [-32602, /payload/, 'commitUnsafePayload', {}],
      [-32602, /extraData/, 'commitUnsafePayload', { executionPayload: { parentHash: 1 } }],
      [-32602, /expected the id of a server/, 'transferLeaderToServer'],
      [-32602, /expected the id of a server/, 'transferLeader', 5],
      [-32000, /there is no candidate c; there are a, b/, 'transferLeaderToServer', 'c', 'x'],
      [-32000, /there is no candidate foo; there are a, b/, 'sequencerHealthy', 'foo'],
      [-32000, /a leads already/, 'transferLeaderToServer', 'a', ''],
    ]
    for (const [number, message, method, ...params] of refusals) {
      const answer = method === 'commitUnsafePayload' ? call('a', method, ...params) : operate(method, ...params)
      await assert.rejects(answer, { number, message })
    }
    await assert.rejects(call('b', 'commitUnsafePayload', envelopeToJson(blockOn(GENESIS))), {
      number: -32000,
      message: /b is not the leader/,
    })
  })
})
