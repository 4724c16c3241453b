import assert from 'node:assert/strict'
import { depositTx } from '../../../../test/support/bridge/fake-chains.ts'
import { createWorld } from '../../../../test/support/bridge/status-world.ts'
import { createQueryQueue } from './query-queue.ts'

const MANY = 300
const never = () => new Promise<never>(() => undefined)

describe('bridge status under bursts and with unresponsive chains', () => {
  it('reports 300 new deposits with a few queries to L2, in request order', async () => {
    const world = createWorld()
    const { l1, l2 } = world
    const txs = Array.from({ length: MANY }, (_, i) => depositTx(`burst-${i}`))
    l1.mine(txs)
    l2.adopt(l1)
    const looks: number[] = []
    const snapshot = l2.snapshot.bind(l2)
    l2.snapshot = async (ask) => {
      looks.push(ask.numbers.length + ask.transactions.length)
      return snapshot(ask)
    }
    await world.open()
    const answers = await Promise.all(txs.map(({ hash }) => world.answer(hash)))
    assert.ok(answers.every((answer) => answer.kind === 'found' && answer.status.state === 'relaying' && answer.status.stale === null))
    assert.ok(looks.length < MANY / 3, `${looks.length} questions`)
    assert.ok(Math.max(...looks) <= 200)
    looks.length = 0
    l2.safe = 1
    const later = await Promise.all(txs.map(({ hash }) => world.answer(hash)))
    assert.ok(later.every((answer) => answer.kind === 'found' && answer.status.state === 'complete'))
    assert.ok(looks.length <= 4, `${looks.length} questions`)
  })

  it('reports the last known state as stale when L2 is slow', async () => {
    const world = createWorld()
    const { l1, l2, clock } = world
    const tx = depositTx('one')
    l1.mine([tx])
    l2.adopt(l1)
    await world.open()
    await world.step()
    l2.snapshot = never
    const asked = world.answer(tx.hash)
    await clock.advance(1_000)
    await clock.advance(3_000)
    const answer = await asked
    assert.ok(answer.kind === 'found')
    assert.equal(answer.status.state, 'relaying')
    assert.match(answer.status.stale ?? '', /this is the last known state/)
  })

  it('becomes not ready after ten seconds without a response of L1, and ready with the response', async () => {
    const world = createWorld()
    const { l1, clock } = world
    l1.mine([])
    let answer: (() => void) | undefined
    const blockRef = l1.blockRef.bind(l1)
    l1.blockRef = async (at) => {
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return blockRef(at)
    }
    await world.open()
    const step = world.step()
    await clock.advance(9_000)
    assert.equal(world.trouble(), null)
    await clock.advance(1_500)
    assert.equal(world.trouble()?.reason, 'L1 has not responded for 10 s')
    l1.blockRef = blockRef
    answer?.()
    await step
    assert.equal(world.trouble(), null)
  })

  it('limits concurrent queries, queues others in order, and refuses when the queue is full', async () => {
    const queue = createQueryQueue({ atOnce: 2, maxWaiting: 3 })
    const [began, ends]: [number[], (() => void)[]] = [[], []]
    const runs = Array.from({ length: 6 }, (_, i) =>
      queue.run(async () => {
        began.push(i)
        await new Promise<void>((resolve) => ends.push(resolve))
      }),
    )
    assert.equal(runs[5], null)
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    await turn()
    assert.deepEqual(began, [0, 1])
    for (let i = 0; i < 5; i++) {
      ends[i]?.()
      await turn()
    }
    assert.deepEqual(began, [0, 1, 2, 3, 4])
    await Promise.all(runs)
    const failed = queue.run(async () => {
      throw new Error('no')
    })
    await assert.rejects(failed as Promise<never>, /no/)
    await queue.run(async () => undefined)
  })
})
