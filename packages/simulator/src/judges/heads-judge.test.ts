import assert from 'node:assert/strict'
import { bigintToBytes, type Hash, toHash } from '@keelson/primitives'
import { HeadsJudge, type NodeHeads } from './heads-judge.ts'

const hash = (branch: number, number: number): Hash => toHash(bigintToBytes(BigInt(branch * 1_000 + number), 32))

interface NodeState {
  readonly name?: string
  readonly safe: number
  readonly finalized?: number
  readonly resets?: number
  /** Blocks from this number on are of another branch. */
  readonly otherFrom?: number
  /** Whether the execution client has the blocks below the heads. */
  readonly complete?: boolean
  readonly isSafeOriginCanonical?: boolean
}

function node({
  name = 'a',
  safe,
  finalized = 0,
  resets = 1,
  otherFrom = Number.POSITIVE_INFINITY,
  complete = true,
  isSafeOriginCanonical = true,
}: NodeState): NodeHeads {
  const at = (number: number) => hash(number >= otherFrom ? 2 : 1, number)
  const id = (number: number) => ({ number, hash: at(number) })
  return {
    name,
    resets,
    heads: { unsafe: id(safe), safe: id(safe), finalized: id(finalized) },
    originOf: () => null,
    isSafeOriginCanonical,
    ancestor: (head, number) => (number === head.number ? head.hash : complete ? at(number) : null),
  }
}

function judged(...looks: readonly (readonly NodeState[])[]): readonly string[] {
  const rules: string[] = []
  const judge = new HeadsJudge((rule) => rules.push(rule))
  for (const states of looks) judge.look(states.map(node))
  return rules
}

describe('the judge of heads', () => {
  it('accepts nodes that follow one chain at different heights', () => {
    assert.deepEqual(
      judged(
        [{ safe: 10 }, { name: 'b', safe: 7 }],
        [
          { safe: 12, finalized: 5 },
          { name: 'b', safe: 12 },
        ],
      ),
      [],
    )
  })

  it('reports nodes whose safe blocks differ, at their own heads or below', () => {
    assert.deepEqual(judged([{ safe: 10 }, { name: 'b', safe: 10, otherFrom: 10 }]), ['safe blocks are equal'])
    assert.deepEqual(
      judged([
        { safe: 10, otherFrom: 5 },
        { name: 'b', safe: 7 },
      ]),
      ['safe blocks are equal'],
    )
  })

  it('reports finalized blocks that differ', () => {
    const rules = judged([
      { safe: 9, finalized: 9 },
      { name: 'b', safe: 9, finalized: 9, otherFrom: 9 },
    ])
    assert.deepEqual(rules, ['safe blocks are equal', 'finalized blocks are equal'])
  })

  it('accepts a safe head whose origin L1 has replaced, on a node that has not seen that yet', () => {
    const cut = { name: 'b', safe: 10, isSafeOriginCanonical: false }
    assert.deepEqual(judged([{ safe: 10, otherFrom: 9 }, cut]), [])
    assert.deepEqual(
      judged(
        [{ safe: 10, otherFrom: 9 }, cut],
        [
          { safe: 10, otherFrom: 9 },
          { ...cut, isSafeOriginCanonical: true },
        ],
      ),
      ['safe blocks are equal'],
    )
  })

  it('reports finalized blocks that differ, even if L1 has replaced the origin of a safe head', () => {
    const states = [
      { safe: 9, finalized: 9 },
      { name: 'b', safe: 9, finalized: 9, otherFrom: 9, isSafeOriginCanonical: false },
    ]
    assert.deepEqual(judged(states), ['finalized blocks are equal'])
  })

  it('reports a safe head that goes back or changes without a reset, and accepts it after one', () => {
    assert.deepEqual(judged([{ safe: 10 }], [{ safe: 9 }]), ['safe goes back only after a reset'])
    assert.deepEqual(judged([{ safe: 10 }], [{ safe: 11, otherFrom: 10 }]), ['safe blocks stay'])
    assert.deepEqual(judged([{ safe: 10 }], [{ safe: 9, resets: 2 }]), [])
  })

  it('reports a finalized block that changes, even after a reset', () => {
    const states = [[{ safe: 10, finalized: 8 }], [{ safe: 10, finalized: 9, resets: 2, otherFrom: 8 }]]
    assert.deepEqual(judged(...states), ['finalized blocks stay'])
  })

  it('waits for blocks that the execution client does not have', () => {
    assert.deepEqual(judged([{ safe: 10 }, { name: 'b', safe: 9, complete: false }]), [])
    assert.deepEqual(judged([{ safe: 10 }], [{ safe: 11, complete: false }], [{ safe: 12, otherFrom: 10 }]), ['safe blocks stay'])
  })

  it('knows the highest safe block of all nodes, also of one that no longer runs', () => {
    const judge = new HeadsJudge(() => assert.fail())
    assert.equal(judge.highestSafe, 0)
    judge.look([node({ safe: 10 }), node({ name: 'b', safe: 12, finalized: 3 })])
    judge.look([node({ safe: 11 })])
    assert.equal(judge.highestSafe, 12)
  })
})
