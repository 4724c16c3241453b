import assert from 'node:assert/strict'
import { bytesToHex } from '@keelson/primitives'
import { addressOf } from '../../../../../test/support/faucet-world.ts'
import { createFakeRpc, rpcFailure } from '../../../../client/src/fake-rpc.test-support.ts'
import { createCodeLookup } from './code-lookup.ts'

describe('a lookup of code', () => {
  const addresses = Array.from({ length: 1000 }, (_, i) => addressOf(i + 1))

  it('asks the node 21 times for the code of 1,000 concurrent claims', async () => {
    const rpc = createFakeRpc({ eth_getCode: (address: string) => address })
    let batches = 0
    let underWay = 0
    const codeOf = createCodeLookup({
      batch: async (calls, options) => {
        batches++
        assert.equal(++underWay, 1)
        const outcomes = await rpc.batch(calls, options)
        underWay--
        return outcomes
      },
    })
    const codes = await Promise.all(addresses.map(codeOf))
    assert.deepEqual(codes.map(bytesToHex), addresses)
    assert.equal(batches, 21)
  })

  it('fails for one address alone when the node answers an error or no data for it', async () => {
    const answers: Record<string, () => string> = {
      [addressOf(2)]: () => {
        throw rpcFailure(-32000, 'header not found')
      },
      [addressOf(3)]: () => 'code',
    }
    const codeOf = createCodeLookup(createFakeRpc({ eth_getCode: (address: string) => answers[address]?.() ?? '0x' }))
    const outcomes = await Promise.allSettled(addresses.slice(0, 4).map(codeOf))
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    )
  })

  it('asks again after a request that failed as a whole', async () => {
    let isDown = true
    const rpc = createFakeRpc({ eth_getCode: () => '0x' })
    const codeOf = createCodeLookup({
      batch: (calls) => (isDown ? Promise.reject(new Error('connection refused')) : rpc.batch(calls)),
    })
    await assert.rejects(codeOf(addressOf(1)), /connection refused/)
    isDown = false
    assert.equal((await codeOf(addressOf(1))).length, 0)
  })
})
