import assert from 'node:assert/strict'
import type { ReadRunner } from '@keelson/execution'
import { bytesToHex } from '@keelson/primitives'
import { RawJson, RpcError } from '@keelson/runtime'
import { account, LOGGER, logTransaction, openRpcWorld } from '../support/execution-rpc-world.ts'
import type { ExecutionWorld } from '../support/execution-world.ts'
import { type Example, exampleRequests } from '../support/rpc-examples.ts'

describe('execution RPC: reads that another thread answers as text', () => {
  let plain: ExecutionWorld
  let threaded: ExecutionWorld
  let examples: readonly Example[]

  before(async () => {
    plain = await openRpcWorld()
    const reads: ReadRunner = {
      threads: 1,
      run: async (method, params) => new RawJson(JSON.stringify(await plain.call(method, ...params))),
    }
    threaded = await openRpcWorld({ reads })
    const tx = logTransaction(plain, 0, 0n)
    const [block] = [await plain.mine({ transactions: [tx.raw] }), await threaded.mine({ transactions: [tx.raw] })]
    for (const world of [plain, threaded]) await world.mine()
    examples = exampleRequests({
      sender: account(plain, 0).address,
      other: account(plain, 1).address,
      contract: LOGGER,
      blockHash: block.hash,
      blockNumber: '0x1',
      txHash: tx.hash,
      filter: await plain.call('eth_newFilter', {}),
      blockFilter: await plain.call('eth_newBlockFilter'),
      rawTransaction: bytesToHex(plain.transfer(2, account(plain, 1).address, 1n).raw),
    })
    await threaded.call('eth_newFilter', {})
    await threaded.call('eth_newBlockFilter')
  })
  after(async () => {
    await threaded.stop()
    await plain.stop()
  })

  const ask = async (world: ExecutionWorld, method: string, params: readonly unknown[]) => {
    try {
      return await world.call(method, ...params)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return { number: error.number, message: error.message }
    }
  }

  it('are the answers of reads on the same thread, whatever method asks for them', async () => {
    for (const [method, params] of examples)
      assert.deepEqual(await ask(threaded, method, params), await ask(plain, method, params), `${method} ${JSON.stringify(params)}`)
  })

  it('fill a transaction, and find one of the chain by its nonce', async () => {
    const [from, to] = [account(plain, 1).address, account(plain, 0).address]
    assert.equal((await threaded.call('eth_fillTransaction', { from, to, value: '0x5' })).tx.gas, '0x5208')
    const { hash } = await threaded.call('eth_getTransactionBySenderAndNonce', account(plain, 0).address, '0x0')
    assert.equal(hash, logTransaction(plain, 0, 0n).hash)
    assert.equal(await threaded.call('eth_getTransactionBySenderAndNonce', from, '0x0'), null)
  })
})
