import assert from 'node:assert/strict'
import { createFairTurns } from './fair-turns.ts'

function newDesk() {
  const turns = createFairTurns({ atOnce: 3, perPeer: 2, maxWaitingPerPeer: 4 })
  const running: { readonly peer: string; readonly end: () => void }[] = []
  const take = (peer: string) => turns.take(peer, () => new Promise<void>((resolve) => running.push({ peer, end: resolve })))
  const who = () => running.map(({ peer }) => peer).join(' ')
  return {
    take,
    who,
    async endFirst() {
      running.shift()?.end()
      await settled()
    },
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('turns at something there is little of', () => {
  it('one peer cannot have all of them, nor wait in front of the others', async () => {
    const { take, who, endFirst } = newDesk()
    for (let i = 0; i < 6; i++) assert.notEqual(take('greedy'), null, `${i}`)
    assert.equal(take('greedy'), null, 'too many wait')
    await settled()
    assert.equal(who(), 'greedy greedy')
    for (const peer of ['a', 'a', 'b']) assert.notEqual(take(peer), null)
    await settled()
    assert.equal(who(), 'greedy greedy a')
    await endFirst()
    assert.equal(who(), 'greedy a greedy', 'a had the last turn')
    await endFirst()
    assert.equal(who(), 'a greedy a')
    await endFirst()
    assert.equal(who(), 'greedy a b')
  })

  it('work that fails gives its turn on, and takes the failure to who asked', async () => {
    const turns = createFairTurns({ atOnce: 1, perPeer: 1, maxWaitingPerPeer: 4 })
    const first = turns.take('a', () => Promise.reject(new Error('refused')))
    const second = turns.take('a', async () => 'done')
    await assert.rejects(first as Promise<unknown>, /refused/)
    assert.equal(await second, 'done')
  })
})
