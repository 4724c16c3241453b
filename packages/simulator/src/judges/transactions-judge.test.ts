import assert from 'node:assert/strict'
import { bigintToBytes, type Hash, toHash, ZERO_HASH } from '@keelson/primitives'
import { TransactionsJudge, type TransactionsView } from './transactions-judge.ts'

const hash = (value: number): Hash => toHash(bigintToBytes(BigInt(value), 32))
type ReadBlock = NonNullable<ReturnType<TransactionsView['block']>>

/** Each block has one transaction. Blocks from `otherFrom` on are of another branch, whose transactions are others. */
function chain(safe: number, finalized: number, { otherFrom = 1_000, missing = 0 } = {}): TransactionsView {
  const at = (number: number) => ({ number, hash: number === 0 ? ZERO_HASH : hash(number >= otherFrom ? 2_000 + number : number) })
  const block = (wanted: Hash): ReadBlock | null => {
    const number = Number(BigInt(wanted)) % 1_000
    if (number === missing) return null
    const transaction = hash(number >= otherFrom ? 7_000 + number : 5_000 + number)
    return { header: { parentHash: at(number - 1).hash }, transactions: [{ hash: transaction }] } as unknown as ReadBlock
  }
  return { safe: at(safe), finalized: at(finalized), block }
}

function judged(views: readonly TransactionsView[], accepted: readonly number[]): readonly string[] {
  const texts: string[] = []
  const judge = new TransactionsJudge((_, text) => texts.push(text))
  for (const view of views) judge.look(view)
  judge.conclude(new Map(accepted.map((value) => [hash(value), 0])))
  return texts
}

describe('the judge of transactions', () => {
  it('accepts transactions that become safe and then final, and those that never were safe', () => {
    assert.deepEqual(judged([chain(5, 0), chain(9, 5), chain(12, 9)], [5_002, 5_008, 6_000]), [])
  })

  it('reports a transaction of a safe block that another chain replaced', () => {
    assert.deepEqual(judged([chain(5, 0), chain(9, 8, { otherFrom: 4 })], [5_003, 5_005]), [`${hash(5_005)} was in safe block 5`])
  })

  it('looks again when the execution client lacks a block', () => {
    const views = [chain(5, 0, { missing: 3 }), chain(6, 0), chain(9, 9, { otherFrom: 6, missing: 8 }), chain(9, 9, { otherFrom: 6 })]
    assert.deepEqual(judged(views, [5_003, 5_006]), [`${hash(5_006)} was in safe block 6`])
  })
})
