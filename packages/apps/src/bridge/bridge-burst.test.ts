import assert from 'node:assert/strict'
import { depositTx } from '../../../../test/support/bridge/fake-chains.ts'
import { createWorld } from '../../../../test/support/bridge/status-world.ts'
import { createQuestionQueue } from './question-queue.ts'

const MANY = 300
const never = () => new Promise<never>(() => undefined)

describe('bridge status, asked for many at once or by chains that hang', () => {
  it('tells 300 new deposits with a few questions to L2, in the order they were asked for', async () => {
    const world = createWorld()
    const { l1, l2 } = world
    const txs = Array.from({ length: MANY }, (_, i) => depositTx(`burst-${i}`))
    l1.mine(txs)
    l2.adopt(l1)
    const looks: number[] = []
    const look = l2.look.bind(l2)
    l2.look = async (ask) => {
      looks.push(ask.numbers.length + ask.transactions.length)
      return look(ask)
    }
    await world.open()
    // nothing is indexed: each has to be found on L1 first
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

  it('tells what was last seen when L2 takes long, and says so', async () => {
    const world = createWorld()
    const { l1, l2, clock } = world
    const tx = depositTx('one')
    l1.mine([tx])
    l2.adopt(l1)
    await world.open()
    await world.step()
    l2.look = never
    const asked = world.answer(tx.hash)
    await clock.advance(1_000)
    await clock.advance(3_000)
    const answer = await asked
    assert.ok(answer.kind === 'found')
    assert.equal(answer.status.state, 'relaying')
    assert.match(answer.status.stale ?? '', /this is what was last seen/)
  })

  it('is not to be relied on ten seconds after L1 took a question and gave no answer, and is again with the answer', async () => {
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
    assert.equal(world.trouble()?.reason, 'L1 was asked and has not answered for 10 s')
    l1.blockRef = blockRef
    answer?.()
    await step
    assert.equal(world.trouble(), null)
  })

  it('asks a few at once, lets the others wait in their order, and refuses when too many do', async () => {
    const queue = createQuestionQueue({ atOnce: 2, maxWaiting: 3 })
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
