import assert from 'node:assert/strict'
import { type Address, bigintToBytes, type Hash, type Header, type Log, logsBloom, toAddress, toHash } from '@keelson/primitives'
import { RpcError } from '@keelson/runtime'
import type { ChainReader } from '../../chain/chain-reader.ts'
import { DEFAULT_EXECUTION_OPTIONS } from '../../options.ts'
import { queryLogs } from './log-query.ts'

const A = toAddress(new Uint8Array(20).fill(0xa))
const B = toAddress(new Uint8Array(20).fill(0xb))
const topic = (i: number) => toHash(new Uint8Array(32).fill(i))
const hashOf = (number: number) => toHash(bigintToBytes(BigInt(1 + number), 32))
const options = { ...DEFAULT_EXECUTION_OPTIONS.rpc, maxLogRangeBlocks: 500, maxUnindexedLogRangeBlocks: 200, maxLogResults: 5 }

function chainOf(logs: readonly (readonly Log[])[], indexedFrom = 0) {
  const seen = { walks: 0, blooms: 0 }
  const header = (number: number) => ({ number, timestampSec: number, logsBloom: logsBloom(logs[number] ?? []) }) as unknown as Header
  const numberOf = (hash: Hash) => logs.findIndex((_, number) => hashOf(number) === hash)
  const chain = {
    logsIndexedFrom: indexedFrom,
    label: () => ({ hash: hashOf(logs.length - 1), header: header(logs.length - 1) }),
    canonicalHash: (number: number) => (number < logs.length ? hashOf(number) : null),
    header: (hash: Hash) => header(numberOf(hash)),
    bloom(hash: Hash) {
      seen.blooms++
      return header(numberOf(hash)).logsBloom
    },
    receipts: (hash: Hash) => [{ receipt: { logs: logs[numberOf(hash)] } }],
    transactionHash: (hash: Hash) => hash,
    async *blocksWithLogs(address: Address, first: Hash | null, from: number, to: number) {
      seen.walks++
      for (let number = from; number <= to; number++) {
        if (logs[number]?.some((log) => log.address === address && (first === null || log.topics[0] === first))) yield number
      }
    },
  }
  return { chain: chain as unknown as ChainReader, seen }
}

const log = (address: Address, ...topics: Hash[]): Log => ({ address, topics, data: new Uint8Array(0) })
const range = (from: number, to: number) => ({ from: { kind: 'number', number: from }, to: { kind: 'number', number: to } }) as const
const blocksOf = (found: readonly Record<string, unknown>[]) => found.map(({ blockNumber }) => Number(blockNumber))

describe('log queries over the index', () => {
  const logs = Array.from({ length: 400 }, (_, i) =>
    i % 200 === 3 ? [log(A, topic(1)), log(B, topic(2))] : i % 200 === 7 ? [log(A, topic(2), topic(9))] : [],
  )

  it('reads only blocks in the index, in order, each once', async () => {
    const { chain, seen } = chainOf(logs)
    const both = await queryLogs(
      chain,
      { criteria: { addresses: [A, B, A], topics: [] }, range: range(0, 399) },
      { ...options, maxLogResults: 50 },
    )
    assert.deepEqual(blocksOf(both), [3, 3, 7, 203, 203, 207])
    assert.deepEqual(seen, { walks: 2, blooms: 0 })
    const byTopic = await queryLogs(chain, { criteria: { addresses: [A], topics: [[topic(2)]] }, range: range(0, 399) }, options)
    assert.deepEqual(blocksOf(byTopic), [7, 207])
    const later = await queryLogs(chain, { criteria: { addresses: [A], topics: [[], [topic(9)]] }, range: range(8, 399) }, options)
    assert.deepEqual(blocksOf(later), [207])
  })

  it('scans blocks without the index, over a shorter range', async () => {
    const { chain, seen } = chainOf(logs)
    const any = { addresses: [], topics: [[topic(1)]] }
    assert.deepEqual(blocksOf(await queryLogs(chain, { criteria: any, range: range(0, 199) }, options)), [3])
    assert.deepEqual(seen, { walks: 0, blooms: 200 })
    await assert.rejects(queryLogs(chain, { criteria: any, range: range(0, 200) }, options), (error) => {
      assert.ok(error instanceof RpcError)
      assert.deepEqual([error.number, error.data], [-32005, { from: '0x0', to: '0xc7', limit: 200 }])
      return true
    })
    const older = chainOf(logs, 200)
    assert.deepEqual(
      blocksOf(await queryLogs(older.chain, { criteria: { addresses: [A], topics: [] }, range: range(0, 199) }, options)),
      [3, 7],
    )
    assert.equal(older.seen.walks, 0)
  })

  it('reads the headers of a short range, not the index', async () => {
    const { chain, seen } = chainOf(logs)
    const found = await queryLogs(chain, { criteria: { addresses: [A, B], topics: [] }, range: range(190, 210) }, options)
    assert.deepEqual(blocksOf(found), [203, 203, 207])
    assert.deepEqual(seen, { walks: 0, blooms: 0 })
  })

  it('reports the range that fits when there are too many logs', async () => {
    const { chain } = chainOf(logs)
    await assert.rejects(queryLogs(chain, { criteria: { addresses: [A, B], topics: [] }, range: range(0, 399) }, options), (error) => {
      assert.ok(error instanceof RpcError)
      assert.equal(error.message, 'query exceeds max results 5, retry with the range 0-206; this block range should work: [0x0, 0xce]')
      return true
    })
  })
})
