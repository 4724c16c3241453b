import assert from 'node:assert/strict'
import { assertAnswer, createRpcWorld, type RpcWorld } from '../fuzz/rpc-world.ts'

describe('invalid JSON-RPC parameters', () => {
  let rpc: RpcWorld
  before(async () => {
    rpc = await createRpcWorld('public')
  })
  after(() => rpc.world.stop())

  const refusal = async (method: string, ...params: readonly unknown[]) => {
    const text = await rpc.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    assertAnswer(text)
    return JSON.parse(text ?? '').error as { code: number; message: string } | undefined
  }

  for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter']) {
    it(`${method}: reject an object without a string form as a filter id`, async () => {
      const error = await refusal(method, { toString: '0x0' })
      assert.equal(error?.code, -32602)
      assert.match(error?.message ?? '', /invalid argument 0: expected a string/)
    })
  }

  it('eth_feeHistory: show an object among the percentiles as it is', async () => {
    const error = await refusal('eth_feeHistory', '0x1', 'latest', [{ toString: 1 }])
    assert.match(error?.message ?? '', /invalid reward percentile: \{"toString":1\}/)
  })

  it('let a call to code that begins like a delegation halt at its first byte', async () => {
    const to = rpc.facts.contract
    for (const code of ['0xef0100', `0xef0100${'11'.repeat(21)}`]) {
      const error = await refusal('eth_call', { to, gas: '0x186a0' }, 'latest', { [to]: { code } })
      assert.match(error?.message ?? '', /invalid opcode/)
    }
  })
})
