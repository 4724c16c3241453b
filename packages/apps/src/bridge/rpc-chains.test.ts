import assert from 'node:assert/strict'
import { createL1Client, type RpcClient, RpcResponseError } from '@keelson/client'
import { encodeCall } from '@keelson/contracts'
import { bytesToHex, formatQuantity } from '@keelson/primitives'
import { depositLog, hashOf, PORTAL } from '../../../../test/support/bridge/fake-chains.ts'
import { createRpcL1 } from './rpc-l1.ts'
import { createRpcL2 } from './rpc-l2.ts'

type Methods = Record<string, (...params: never[]) => unknown>

function node(methods: Methods): RpcClient & { readonly asked: string[] } {
  const asked: string[] = []
  const call: RpcClient['call'] = async (method, params) => {
    asked.push(`${method} ${JSON.stringify(params)}`)
    const answer = methods[method]
    if (answer === undefined) throw new RpcResponseError('critical', method, -32601, 'no such method', undefined)
    return JSON.parse(JSON.stringify((await answer(...(params as never[]))) ?? null))
  }
  return {
    host: 'node.example',
    asked,
    call,
    batch: (calls) =>
      Promise.all(
        calls.map(({ method, params }) =>
          call(method, params).then(
            (result) => ({ ok: true as const, result }),
            (error: Error) => ({ ok: false as const, error }),
          ),
        ),
      ),
    close: () => undefined,
  }
}

const reverted = (data: Uint8Array) => () => {
  throw new RpcResponseError('critical', 'eth_call', 3, 'execution reverted', bytesToHex(data))
}
const block = (number: number) => ({ number: formatQuantity(number), timestamp: '0x64', hash: hashOf('l2', number) })
const L2_TX = hashOf('deposit')

describe('L1 and L2 over JSON-RPC', () => {
  it('halves a range of logs until the node accepts it, and skips logs of other contracts', async () => {
    const log = depositLog()
    const found = { ...log, data: bytesToHex(log.data), logIndex: '0x2', transactionHash: hashOf('tx'), blockHash: hashOf('l1', 5) }
    const rpc = node({
      eth_getLogs: ({ fromBlock, toBlock }: { fromBlock: string; toBlock: string }) => {
        const [from, to] = [Number(fromBlock), Number(toBlock)]
        if (to - from > 3)
          throw new RpcResponseError('critical', 'eth_getLogs', -32005, 'query returned more than 10000 results', undefined)
        return from <= 5 && to >= 5 ? [found, { ...found, address: `0x${'99'.repeat(20)}` }] : []
      },
    })
    const at = { number: 5, hash: hashOf('l1', 5), parentHash: hashOf('l1', 4), timestampSec: 60 }
    const l1 = createRpcL1({ rpc, client: { ...createL1Client(rpc), blockRef: async () => at }, portal: PORTAL })
    const logs = await l1.depositsBetween(1, 10)
    assert.deepEqual(
      logs.map(({ logIndex, txHash, block: { number } }) => [logIndex, txHash, number]),
      [[2, hashOf('tx'), 5]],
    )
    assert.equal(rpc.asked.length, 7)
  })

  it('treats a response about another transaction, or a malformed one, as a node error', async () => {
    for (const answer of [{ hash: hashOf('other') }, 'soon', { hash: hashOf('tx'), from: '0x12' }]) {
      const rpc = node({ eth_getTransactionByHash: () => answer, eth_getTransactionReceipt: () => null })
      const l1 = createRpcL1({ rpc, client: createL1Client(rpc), portal: PORTAL })
      await assert.rejects(l1.transaction(hashOf('tx')), { code: 'client/bad-answer', severity: 'temporary' })
    }
  })

  it('distinguishes an unset label from a failing node', async () => {
    const latest: Methods = {
      eth_getBlockByNumber: (at: string) => {
        if (at === 'safe') throw new RpcResponseError('critical', 'eth_getBlockByNumber', -39001, 'safe block not found', undefined)
        return at === 'finalized' ? null : block(at === 'latest' ? 9 : Number(at))
      },
      eth_getTransactionByBlockNumberAndIndex: () => null,
      eth_getTransactionReceipt: () => null,
    }
    const snapshot = await createRpcL2(node(latest)).snapshot({ numbers: [4], transactions: [L2_TX] })
    assert.deepEqual(snapshot, {
      unsafe: { number: 9, timestampSec: 100 },
      safe: null,
      finalized: null,
      origin: null,
      hashes: [block(4).hash],
      receipts: [null],
    })
    await assert.rejects(createRpcL2(node({})).snapshot({ numbers: [], transactions: [] }), { code: 'client/rpc' })
  })

  it('queries each block once, regardless of its number of deposits', async () => {
    const rpc = node({
      eth_getBlockByNumber: (at: string) => block(at.startsWith('0x') ? Number(at) : 9),
      eth_getTransactionByBlockNumberAndIndex: () => null,
    })
    const { hashes } = await createRpcL2(rpc).snapshot({ numbers: [...Array(300).fill(4), 5], transactions: [] })
    assert.deepEqual(new Set(hashes.slice(0, 300)), new Set([block(4).hash]))
    assert.equal(hashes[300], block(5).hash)
    assert.equal(rpc.asked.length, 3 + 1 + 2)
  })

  it('explains a failed deposit from a trace, or from a replayed call where no trace is served', async () => {
    const output = encodeCall('Error(string)', ['no'])
    const traced = (error: string | undefined) =>
      createRpcL2(
        node({ debug_traceTransaction: () => ({ error, output: bytesToHex(output) }), eth_getTransactionByHash: () => null }),
      ).whyFailed(L2_TX, 5)
    assert.deepEqual(await traced('out of gas'), { kind: 'out-of-gas' })
    assert.deepEqual(await traced('execution reverted'), { kind: 'reverted', output })
    assert.deepEqual(await traced('invalid opcode: 0xfe'), { kind: 'other', text: 'invalid opcode: 0xfe' })
    assert.equal(await traced(undefined), null)
    const plain = node({
      eth_getTransactionByHash: () => ({ from: PORTAL, to: PORTAL, value: '0x1', gas: '0x5208', input: '0x' }),
      eth_call: reverted(output),
    })
    const l2 = createRpcL2(plain)
    for (let i = 0; i < 2; i++) assert.deepEqual(await l2.whyFailed(L2_TX, 5), { kind: 'reverted', output })
    assert.equal(plain.asked.filter((line) => line.startsWith('debug_')).length, 1, 'not asked again for what is not served')
    assert.ok(
      plain.asked.some((line) => line.startsWith('eth_call') && line.includes('"0x4"')),
      'on the state before its block',
    )
  })

  it('queries the messenger at the safe head', async () => {
    const rpc = node({ eth_call: () => `0x${'0'.repeat(63)}1` })
    assert.equal(await createRpcL2(rpc).isMessageDone(hashOf('message')), true)
    assert.match(rpc.asked[0] as string, /"safe"\]$/)
  })
})
