import assert from 'node:assert/strict'
import type { RpcClient } from '@keelson/client'
import { decodeParameters, functionSelector, PREDEPLOYS } from '@keelson/contracts'
import { bytesToHex, type Hex, hexToBytes, bigintToBytes as toBytes } from '@keelson/primitives'
import { ROUTER, WRAPPED } from '../market.test-support.ts'
import { createRpcTradingChain } from './rpc-trading-chain.ts'

describe('a chain of executions', () => {
  const asked: { readonly to: string; readonly data: Hex }[] = []
  const chainThatSays = (answer: (data: Uint8Array) => string) => {
    const call: RpcClient['call'] = async (method, params) => {
      assert.equal(method, 'eth_call')
      const [request] = params as unknown as readonly [{ to: string; data: Hex }]
      asked.push(request)
      return answer(hexToBytes(request.data))
    }
    const options = { chainId: 1, wrappedNative: WRAPPED, confirmations: 1, explorerUrl: null }
    return createRpcTradingChain(options, { host: 'fake', call } as RpcClient)
  }
  const callOf = (length: number) => ({ to: ROUTER, data: bytesToHex(new Uint8Array(length).fill(7)), valueWei: 0n })

  it('asks the contract about each transaction, its fields beside the data too, and leaves room for a rise', async () => {
    const chain = chainThatSays((data) => bytesToHex(toBytes(BigInt(data.length), 32)))
    const fee = await chain.dataFeeWei([callOf(68), callOf(260)])
    const lengths = asked.map(({ to, data }) => {
      assert.equal(to, PREDEPLOYS.GasPriceOracle)
      assert.equal(data.slice(0, 10), bytesToHex(functionSelector('getL1Fee(bytes)')))
      const [tx] = decodeParameters('bytes', hexToBytes(data).subarray(4)) as readonly [Uint8Array | Hex]
      return typeof tx === 'string' ? tx.length / 2 - 1 : tx.length
    })
    assert.deepEqual(lengths, [148, 340])
    const said = asked.reduce((sum, { data }) => sum + BigInt(data.length / 2 - 1), 0n)
    assert.equal(fee, (said * 3n) / 2n)
  })

  it('has none where no such contract is', async () => {
    assert.equal(await chainThatSays(() => '0x').dataFeeWei([callOf(68)]), 0n)
    await assert.rejects(chainThatSays(() => '0x12').dataFeeWei([callOf(68)]), { code: 'platform/source' })
  })
})
