import assert from 'node:assert/strict'
import type { RpcCaller } from '@keelson/runtime'
import { account, openRpcWorld } from '../support/execution-rpc-world.ts'

function countingCaller() {
  const charged: number[] = []
  const caller: RpcCaller = {
    tier: 'anonymous',
    client: '203.0.113.1',
    known: false,
    burst: 150,
    take: () => 0,
    reserve: async () => 0,
    charge: (tokens) => void charged.push(tokens),
  }
  return { charged, context: { signal: new AbortController().signal, transport: 'http' as const, caller } }
}

describe('execution RPC: prices', () => {
  it('charges one token per five full transactions of a block', async () => {
    const world = await openRpcWorld()
    const transactions = Array.from({ length: 9 }, (_, i) => world.transfer(i, account(world, 9).address, 1n).raw)
    const { hash } = await world.mine({ transactions })
    const { charged, context } = countingCaller()
    const { methods } = world.node
    await methods.eth_getBlockByHash?.([hash, true], context)
    await methods.eth_getBlockByNumber?.(['0x1', true], context)
    assert.deepEqual(charged, [2, 2])
    await methods.eth_getBlockByHash?.([hash, false], context)
    await methods.eth_getBlockByNumber?.(['0x1'], context)
    await methods.eth_getBlockByNumber?.(['0x7', true], context)
    assert.equal(charged.length, 2)
  })
})
