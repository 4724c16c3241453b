/** A channel may declare ten million blocks: work and memory must not grow with that number. */
import assert from 'node:assert/strict'
import { concatBytes, equalBytes, rlpEncode } from '@keelson/primitives'
import { leadingBytesOf } from '../batch/batch-transactions.ts'
import { ByteReader } from '../bytes/byte-reader.ts'
import { runScan, type Scan } from '../bytes/scan.ts'
import { encodeUvarint } from '../bytes/uvarint.ts'
import { readPackedBits } from './bitlist.ts'
import { encodeSpanBatch, type RawSpanBatch } from './span-batch.ts'
import { openSpanBatch, type SpanBatch, type SpanBatchChain } from './span-batch-cursor.ts'
import { SCANNED_PER_STEP, scanSpanBatch } from './span-batch-layout.ts'

const MAX = 10_000_000
const CHAIN: SpanBatchChain = { genesisTimestampSec: 1000, blockTimeSec: 2, chainId: 901n }

function emptyBlocks(count: number): Uint8Array {
  const bits = new Uint8Array((count + 7) >> 3)
  bits[0] = 1 << ((count - 1) & 7)
  return concatBytes(Uint8Array.of(10, 7), new Uint8Array(40), encodeUvarint(count), bits, new Uint8Array(count))
}

function transactions(count: number): RawSpanBatch {
  const list = <T>(value: T): T[] => new Array(count).fill(value)
  return {
    relTimestampSec: 10n,
    l1OriginNumber: 7n,
    parentCheck: new Uint8Array(20),
    l1OriginCheck: new Uint8Array(20),
    originBits: Uint8Array.of(1),
    blockTxCounts: [count],
    txs: {
      contractCreationBits: new Uint8Array(count).fill(1),
      yParityBits: new Uint8Array(count),
      signatures: list(new Uint8Array(64).fill(1)),
      tos: [],
      datas: list(rlpEncode([1, 2, new Uint8Array(3)])),
      nonces: list(5n),
      gases: list(21_000n),
      protectedBits: new Uint8Array(count),
    },
  }
}

function counted<T>(scan: Scan<T>): { readonly steps: number; readonly value: T } {
  for (let steps = 1; ; steps++) {
    const { done, value } = scan.next()
    if (done === true) return { steps, value }
  }
}

describe('a span of ten million blocks', () => {
  const content = emptyBlocks(MAX)

  it('is scanned in steps, and the result holds only views of its bytes', () => {
    const { steps, value } = counted(scanSpanBatch(content, MAX))
    assert.ok(steps >= Math.ceil(MAX / SCANNED_PER_STEP), `${steps} steps`)
    assert.equal(value.blockCount, MAX)
    for (const view of [value.originBits, value.blockTxCounts, value.txs.bytes]) assert.equal(view.buffer, content.buffer)
  })

  it('is opened without visiting each block; blocks are decoded on demand', () => {
    const before = process.memoryUsage()
    const span: SpanBatch = counted(openSpanBatch(runScan(scanSpanBatch(content, MAX)), CHAIN)).value
    assert.deepEqual([span.blockCount, span.transactionCount], [MAX, 0])
    assert.deepEqual(span.first, { timestampSec: 1010, epochNumber: 6 })
    assert.deepEqual(span.last, { timestampSec: 1010 + 2 * (MAX - 1), epochNumber: 7 })
    const blocks = span.blocks[Symbol.iterator]()
    assert.deepEqual(blocks.next().value, { timestampSec: 1010, epochNumber: 6, transactions: [] })
    assert.deepEqual(blocks.next().value, { timestampSec: 1012, epochNumber: 6, transactions: [] })
    const after = process.memoryUsage()
    const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
    assert.ok(grown < 64_000_000, `${grown} bytes`)
  })

  it('is rejected when it has one more block', () => {
    assert.throws(() => runScan(scanSpanBatch(emptyBlocks(MAX + 1), MAX)), { code: 'codec/batch' })
  })
})

describe('a span of many transactions', () => {
  const COUNT = 70_000

  it('is scanned and decoded in steps', () => {
    const scanned = counted(scanSpanBatch(encodeSpanBatch(transactions(COUNT)), MAX))
    assert.equal(scanned.steps, 4)
    const opened = counted(openSpanBatch(scanned.value, CHAIN))
    assert.equal(opened.steps, 1 + Math.floor(COUNT / 4_096))
    const [block, ...others] = opened.value.blocks
    assert.deepEqual([block?.transactions.length, others.length, opened.value.transactionCount], [COUNT, 0, COUNT])
  })

  it('is the same whether its transactions are kept or put together again', () => {
    const raw = transactions(2)
    const large = { ...raw, txs: { ...raw.txs, datas: raw.txs.datas.map(() => rlpEncode([1, 2, new Uint8Array(9_000_000)])) } }
    const open = () => runScan(openSpanBatch(runScan(scanSpanBatch(encodeSpanBatch(large), MAX)), CHAIN))
    const [first] = open().blocks
    const span = open()
    for (let i = 0; i < 2; i++) {
      const [block] = span.blocks
      assert.equal(block?.transactions.length, 2)
      const expected = [...(first?.transactions ?? [])]
      for (const [at, transaction] of [...block.transactions].entries()) {
        assert.ok(Buffer.from(transaction).equals(Buffer.from(expected[at] as Uint8Array)))
      }
    }
  })
})

describe('transactions of a span too large to be kept', () => {
  const COUNT = 10_003
  const data = rlpEncode([1, 2, new Uint8Array(1_700)])
  const typed = concatBytes(Uint8Array.of(2), rlpEncode([1, 2, 3, new Uint8Array(1_700), []]))
  const types = Array.from({ length: COUNT }, (_, i) => (i % 3 === 0 ? typed : data))
  const creation = Uint8Array.from(types, (_, i) => i % 2)
  const split = (blockTxCounts: readonly number[]): RawSpanBatch => {
    const { txs, ...rest } = transactions(COUNT)
    return {
      ...rest,
      blockTxCounts,
      originBits: new Uint8Array(blockTxCounts.length),
      txs: {
        ...txs,
        contractCreationBits: creation,
        tos: Array.from({ length: creation.filter((bit) => bit === 0).length }, (_, i) => new Uint8Array(20).fill(i % 256)),
        datas: types,
        nonces: types.map((_, i) => BigInt(i)),
        protectedBits: Uint8Array.from({ length: types.filter((type) => type === data).length }, (_, i) => (i % 5 === 0 ? 1 : 0)),
      },
    }
  }
  const open = (blockTxCounts: readonly number[]) => {
    const layout = runScan(scanSpanBatch(encodeSpanBatch(split(blockTxCounts)), MAX))
    assert.ok(layout.txs.bytes.length > 1 << 24)
    return [...runScan(openSpanBatch(layout, CHAIN)).blocks]
  }

  it('are the same in large blocks as in small ones, however often and in which order they are read', () => {
    const small = open([4_000, 1_000, 3, 4_000, 1_000]).flatMap((block) => [...block.transactions])
    const [first, second, third] = open([5_000, 3, 5_000]).map((block) => block.transactions)
    assert.deepEqual([first?.length, second?.length, third?.length], [5_000, 3, 5_000])
    assert.deepEqual([first, second, third].map(Array.isArray), [false, true, false])
    for (const _ of [1, 2]) {
      const large = [third, second, first].map((list) => [...(list ?? [])])
      assert.ok(equalBytes(concatBytes(...large.reverse().flat()), concatBytes(...small)))
      assert.deepEqual([...leadingBytesOf(third ?? [])].slice(0, 3), [data[0], 2, data[0]])
    }
  })
})

describe('packed bits', () => {
  it('are views of the input', () => {
    const input = Uint8Array.of(0b101, 0xff)
    const packed = readPackedBits(new ByteReader(input, 'codec/batch'), 11, 'bits')
    assert.equal(packed.buffer, input.buffer)
  })
})
