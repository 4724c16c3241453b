import assert from 'node:assert/strict'
import { rlpEncode, toHash } from '@keelson/primitives'
import { runScan } from '../bytes/scan.ts'
import { leadingBytesOf, scanTransactionList } from './batch-transactions.ts'
import { decodeSingularBatch, encodeSingularBatch } from './singular-batch.ts'

const hash = toHash(`0x${'a1'.repeat(32)}`)
const contentOf = (transactions: readonly Uint8Array[]) => {
  const encoded = rlpEncode([...transactions])
  return encoded.subarray(encoded.length - transactions.reduce((sum, transaction) => sum + rlpEncode(transaction).length, 0))
}

describe('transactions of a singular batch', () => {
  it('create no objects for ten million items of a short channel', () => {
    const count = 10_000_000
    const content = new Uint8Array(count).fill(5)
    content[count - 2] = 0x80
    content[count - 1] = 0x7e
    const before = process.memoryUsage().heapUsed
    const scan = scanTransactionList(content)
    let steps = 1
    let result = scan.next()
    for (; result.done !== true; result = scan.next()) steps++
    assert.equal(steps, Math.ceil(count / 2 ** 20))
    const transactions = result.value
    assert.equal(transactions.length, count)
    assert.deepEqual([...leadingBytesOf(transactions)], [5, undefined, 0x7e])
    const [first] = transactions
    assert.deepEqual(first, Uint8Array.of(5))
    const grown = process.memoryUsage().heapUsed - before
    assert.ok(grown < 64_000_000, `${grown} bytes`)
  })

  for (const count of [0, 1, 4_096, 4_097]) {
    it(`are the same whether ${count} are an array or read from their bytes`, () => {
      const transactions = Array.from({ length: count }, (_, i) => new Uint8Array(i % 70).fill(i % 256))
      const read = runScan(scanTransactionList(contentOf(transactions)))
      assert.equal(read.length, count)
      assert.ok([...read].every((transaction, i) => Buffer.from(transaction).equals(transactions[i] as Uint8Array)))
      const distinct = new Set(transactions.map((transaction) => transaction[0]))
      assert.deepEqual([...new Set(leadingBytesOf(read))], [...distinct])
      const batch = { parentHash: hash, epoch: { hash, number: 7 }, timestampSec: 5, transactions }
      assert.deepEqual([...decodeSingularBatch(encodeSingularBatch(batch)).transactions].length, count)
    })
  }

  const MALFORMED: readonly (readonly [title: string, content: readonly number[]])[] = [
    ['a list', [5, 0xc0]],
    ['one that runs past the end', [5, 0x82, 1]],
    ['a byte that does not stand for itself', [0x81, 5]],
    ['a length with a leading zero', [0xb9, 0, 56, ...new Array(56).fill(1)]],
  ]
  for (const [title, content] of MALFORMED) {
    it(`are refused with ${title}`, () => {
      assert.throws(() => runScan(scanTransactionList(Uint8Array.from(content))), { code: 'codec/rlp' })
    })
  }
})
