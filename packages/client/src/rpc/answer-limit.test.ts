import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { createManualClock, createSeededRandom, createSilentLogger, jsonShapeOf, listen, serverUrl } from '@keelson/runtime'
import { ClientError } from '../client-error.ts'
import { type AnswerLimit, answerLimitOf, blockLimit, HEADER_LIMIT, receiptsLimit } from './answer-limit.ts'
import { createHttpRpcClient } from './http-rpc-client.ts'
import type { RpcClient } from './rpc-client.ts'

const hex = (bytes: number) => `0x${'ab'.repeat(bytes)}`
const GAS = 6_000_000
const NO_LIMIT = { structure: Number.POSITIVE_INFINITY, depth: 64 }

function assertFits(answer: unknown, { maxBytes, maxStructure }: AnswerLimit): void {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: answer })
  const { structure } = jsonShapeOf(text, NO_LIMIT)
  assert.ok(text.length <= maxBytes, `${text.length} bytes, the limit is ${maxBytes}`)
  assert.ok(structure <= maxStructure, `${structure} of structure, the limit is ${maxStructure}`)
}

const block = { number: '0x1312d00', blockNumber: '0x1312d00', blockHash: hex(32) }
const receipt = (logs: readonly unknown[]) => ({
  blockHash: block.blockHash,
  blockNumber: block.number,
  contractAddress: null,
  cumulativeGasUsed: '0x1c9c380',
  effectiveGasPrice: '0x12a05f2007',
  from: hex(20),
  gasUsed: '0x5208',
  logs,
  logsBloom: hex(256),
  status: '0x1',
  to: hex(20),
  transactionHash: hex(32),
  transactionIndex: '0x6a4',
  type: '0x3',
  blobGasUsed: '0x20000',
  blobGasPrice: '0x1234',
})
const log = (topics: number, dataBytes: number) => ({
  address: hex(20),
  topics: Array(topics).fill(hex(32)),
  data: hex(dataBytes),
  blockNumber: block.number,
  blockTimestamp: '0x68aa1234',
  transactionHash: hex(32),
  transactionIndex: '0x6a4',
  blockHash: block.blockHash,
  logIndex: '0x16e36',
  removed: false,
})
const transaction = (fields: object) => ({
  type: '0x2',
  chainId: '0x1',
  nonce: '0x123456',
  gas: '0x5208',
  maxFeePerGas: '0x12a05f2007',
  maxPriorityFeePerGas: '0x12a05f2007',
  to: hex(20),
  value: '0xde0b6b3a7640000',
  accessList: [],
  input: '0x',
  r: hex(32),
  s: hex(32),
  yParity: '0x1',
  v: '0x1',
  hash: hex(32),
  blockHash: block.blockHash,
  blockNumber: block.number,
  transactionIndex: '0x6a4',
  from: hex(20),
  gasPrice: '0x12a05f2007',
  ...fields,
})
const times = (gasEach: number, make: () => unknown) => Array.from({ length: Math.floor(GAS / gasEach) }, make)

describe('the size limit of an L1 answer', () => {
  const header = { gasLimit: BigInt(GAS), gasUsed: BigInt(GAS) }

  it('leaves room for a block full of the smallest logs, of topics, of log data and of bare transactions', () => {
    assertFits([receipt(times(375, () => log(0, 0)))], receiptsLimit(header))
    assertFits([receipt(times(5 * 375, () => log(4, 0)))], receiptsLimit(header))
    assertFits([receipt(times(375 + 8 * 1_024, () => log(0, 1_024)))], receiptsLimit(header))
    assertFits(
      times(12_000, () => receipt([])),
      receiptsLimit(header),
    )
  })

  it('leaves room for a block full of zero bytes, of bare transactions, of access lists and of authorizations', () => {
    const whole = (transactions: unknown) => ({ ...block, logsBloom: hex(256), extraData: hex(32), transactions, withdrawals: [] })
    assertFits(whole([transaction({ input: hex(GAS / 4) })]), blockLimit(header.gasLimit))
    assertFits(whole(times(12_000, () => transaction({}))), blockLimit(header.gasLimit))
    const entry = { address: hex(20), storageKeys: [] }
    assertFits(whole([transaction({ accessList: times(2_400, () => entry) })]), blockLimit(header.gasLimit))
    assertFits(
      whole([transaction({ accessList: [{ address: hex(20), storageKeys: times(1_900, () => hex(32)) }] })]),
      blockLimit(header.gasLimit),
    )
    const authorization = { chainId: '0x1', address: hex(20), nonce: '0x12', yParity: '0x1', r: hex(32), s: hex(32) }
    assertFits(whole([transaction({ authorizationList: times(7_816, () => authorization) })]), blockLimit(header.gasLimit))
    assertFits(whole(times(12_000, () => hex(32))), HEADER_LIMIT)
  })

  it('follows from the gas: the limit for an empty block is small', () => {
    const empty = receiptsLimit({ gasLimit: BigInt(GAS), gasUsed: 0n })
    assert.ok(empty.maxBytes <= 256 * 1024 && empty.maxStructure <= 2_048)
    const methods = ['eth_chainId', 'eth_getBlockByNumber', 'eth_getLogs', 'eth_call'].map(
      (method) => answerLimitOf(method, ['latest', false]).maxBytes,
    )
    for (const maxBytes of methods) assert.ok(maxBytes <= 32 * 1024 * 1024, `${maxBytes}`)
  })

  describe('for a node that answers with a bomb', () => {
    let server: Server
    let client: RpcClient
    let sent: number
    let answers: number
    const flood = (response: ServerResponse, unit: string, maxBytes: number) => {
      const chunk = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)))
      let left = maxBytes
      const pump = () => {
        while (!response.destroyed && left > 0) {
          left -= chunk.length
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', pump)
        }
        if (!response.destroyed) response.end('0]}')
      }
      pump()
    }
    let bomb: { readonly unit: string; readonly bytes: number }
    before(async () => {
      server = createServer(async (request, response) => {
        answers++
        const { id } = (await json(request)) as { id: number }
        response.write(`{"jsonrpc":"2.0","id":${id},"result":[`)
        flood(response, bomb.unit, bomb.bytes)
      })
      const url = serverUrl('http', await listen(server, { host: '127.0.0.1', port: 0, purpose: 'a test' }))
      client = createHttpRpcClient({ url }, { clock: createManualClock(), random: createSeededRandom(1), log: createSilentLogger() })
    })
    beforeEach(() => {
      sent = 0
      answers = 0
    })
    after(() => {
      client.close()
      server.closeAllConnections()
      server.close()
    })
    const IN_FLIGHT = 16 * 1024 * 1024

    it('128 MB for a header are cut off at the limit of a header and not retried', async () => {
      bomb = { unit: '{},', bytes: 128_000_000 }
      await assert.rejects(client.call('eth_getBlockByNumber', ['latest', false]), { code: 'client/too-large', severity: 'temporary' })
      assert.ok(sent <= HEADER_LIMIT.maxBytes + IN_FLIGHT, `${sent} bytes were sent`)
      assert.equal(answers, 1)
    })

    it('an answer within its byte limit but with too much structure is not parsed', async () => {
      bomb = { unit: '{},', bytes: 3_000_000 }
      await assert.rejects(client.call('eth_getBlockByNumber', ['latest', false], { retry: false }), (error: unknown) => {
        assert.ok(error instanceof ClientError)
        assert.equal(error.code, 'client/too-large')
        assert.match(error.message, /commas, colons and brackets/)
        return true
      })
      bomb = { unit: '[', bytes: 30_000 }
      await assert.rejects(client.call('eth_getBlockByNumber', ['latest', false], { retry: false }), {
        code: 'client/too-large',
        message: /nested more than 64 deep/,
      })
    })

    it('the limit of a call overrides that of its method', async () => {
      bomb = { unit: '"ab",', bytes: 300_000 }
      assert.ok(Array.isArray(await client.call('eth_getBlockReceipts', [hex(32)], { retry: false })))
      const limit = receiptsLimit({ gasLimit: 0n, gasUsed: 0n })
      await assert.rejects(client.call('eth_getBlockReceipts', [hex(32)], { limit, retry: false }), { code: 'client/too-large' })
    })
  })
})
