/** Calls that once were answered as our own failure, or with words for machines. Each came out of `npm run fuzz`. */
import assert from 'node:assert/strict'
import { assertAnswer, createRpcWorld, type RpcWorld } from '../fuzz/rpc-world.ts'

describe('garbage over JSON-RPC', () => {
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
    it(`${method}: an object that cannot become a string is no filter id`, async () => {
      const error = await refusal(method, { toString: '0x0' })
      assert.equal(error?.code, -32602)
      assert.match(error?.message ?? '', /invalid argument 0: expected a string/)
    })
  }

  it('eth_feeHistory: an object among the percentiles is shown as what it is', async () => {
    const error = await refusal('eth_feeHistory', '0x1', 'latest', [{ toString: 1 }])
    assert.match(error?.message ?? '', /invalid reward percentile: \{"toString":1\}/)
  })

  it('a call to code that begins like a delegation but is none halts, as its first byte says', async () => {
    const to = rpc.facts.contract
    for (const code of ['0xef0100', `0xef0100${'11'.repeat(21)}`]) {
      const error = await refusal('eth_call', { to, gas: '0x186a0' }, 'latest', { [to]: { code } })
      assert.match(error?.message ?? '', /invalid opcode/)
    }
  })
})
