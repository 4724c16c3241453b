import assert from 'node:assert/strict'
import { type RpcCallOptions, type RpcClient, RpcResponseError } from '@keelson/client'
import { RpcError } from '@keelson/runtime'
import { createRpcForwarder } from './forward-rpc.ts'

interface Call {
  readonly method: string
  readonly params: readonly unknown[]
  readonly options: RpcCallOptions | undefined
}

function rpcThat(answer: () => unknown): RpcClient & { readonly calls: Call[] } {
  const calls: Call[] = []
  return {
    calls,
    host: '127.0.0.1:9545',
    call: async (method, params, options) => {
      calls.push({ method, params, options })
      return answer()
    },
    batch: () => assert.fail('calls are handed on one by one'),
    close: () => undefined,
  }
}

describe('handing calls on to another node', () => {
  const { signal } = new AbortController()

  it('gives its answer back, asked once and with the caller’s signal', async () => {
    const rpc = rpcThat(() => ({ safe_l2: 7 }))
    assert.deepEqual(await createRpcForwarder(rpc, 'the consensus client').request('rollup_syncStatus', ['x'], signal), { safe_l2: 7 })
    assert.equal(rpc.calls.length, 1)
    assert.deepEqual(rpc.calls[0]?.params, ['x'])
    assert.equal(rpc.calls[0]?.options?.signal, signal)
    assert.equal(rpc.calls[0]?.options?.retry, false)
  })

  it('gives its error back with number, text and data as they came', async () => {
    const rpc = rpcThat(() => {
      throw new RpcResponseError('critical', 'eth_call', 3, 'execution reverted: no', '0x08c379a0')
    })
    await assert.rejects(createRpcForwarder(rpc, 'the sequencer').request('eth_call', [], signal), (error: RpcError) => {
      assert.ok(error instanceof RpcError)
      assert.deepEqual([error.number, error.message, error.data], [3, 'execution reverted: no', '0x08c379a0'])
      return true
    })
  })

  it('passes conditions on as they came, by the method that takes them', async () => {
    const rpc = rpcThat(() => '0x01')
    const conditional = { blockNumberMax: '0x5' }
    await createRpcForwarder(rpc, 'the sequencer').submit(Uint8Array.of(2), signal, conditional)
    assert.deepEqual([rpc.calls[0]?.method, rpc.calls[0]?.params], ['eth_sendRawTransactionConditional', ['0x02', conditional]])
  })

  it('says what does not answer, and nothing of where it is and why', async () => {
    const rpc = rpcThat(() => {
      throw new Error('connect ECONNREFUSED with a secret in its text')
    })
    await assert.rejects(createRpcForwarder(rpc, 'the sequencer').submit(Uint8Array.of(2, 0xff), signal), (error: RpcError) => {
      assert.equal(error.number, -32000)
      assert.equal(error.message, 'the sequencer does not answer; try again')
      return true
    })
    assert.deepEqual(rpc.calls[0]?.method, 'eth_sendRawTransaction')
    assert.deepEqual(rpc.calls[0]?.params, ['0x02ff'])
  })
})
