import assert from 'node:assert/strict'
import { keccak256Hash } from '@keelson/primitives'
import { type Belongings, RestartJudge } from './restart-judge.ts'

const hashOf = (name: string) => keccak256Hash(new TextEncoder().encode(name))

function belongings(head: string, transactions: readonly string[], disturbances = 0): Belongings {
  const genesis = { number: 0, hash: hashOf('genesis') }
  return {
    heads: { unsafe: { number: 7, hash: hashOf(head) }, safe: genesis, finalized: genesis },
    transactions: new Set(transactions.map(hashOf)),
    disturbances,
  }
}

function judge(act: (judge: RestartJudge) => void): readonly string[] {
  const texts: string[] = []
  const judging = new RestartJudge()
  act(judging)
  judging.look((rule, text) => texts.push(`${rule}: ${text}`))
  return texts
}

describe('the judge of restarts', () => {
  it('wants the head and every transaction back', () => {
    const [head, pool, ...rest] = judge((restarts) => {
      restarts.stopped('a', belongings('head', ['one', 'two', 'three']))
      restarts.started('a', belongings('another', ['one']))
    })
    assert.match(head ?? '', /^a stop loses nothing: a: its unsafe head/)
    assert.match(pool ?? '', /its pool lost 2 transactions/)
    assert.deepEqual(rest, [])
  })

  it('is content with the same or more', () => {
    const texts = judge((restarts) => {
      restarts.stopped('a', belongings('head', ['one']))
      restarts.started('a', belongings('head', ['one', 'two']))
    })
    assert.deepEqual(texts, [])
  })

  it('says nothing of a node that was killed, or whose disk something else changed', () => {
    const texts = judge((restarts) => {
      restarts.started('a', belongings('head', []))
      restarts.stopped('a', belongings('head', ['one']))
      restarts.started('a', belongings('another', [], 1))
      restarts.started('a', belongings('a third', []))
    })
    assert.deepEqual(texts, [])
  })
})
