import assert from 'node:assert/strict'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { Decimal } from '../market/decimal.ts'
import { readMarkPrices } from './chain-mark-prices.ts'

const TOKEN = `0x${'5'.repeat(40)}`

describe('mark prices', () => {
  it('are those of the chain, with the native currency under both of its addresses', async () => {
    const reader = {
      config: { id: 901, name: 'devnet' },
      usdPrices: async () => ({
        native: new Decimal(2000),
        of: (token: string) => (token === TOKEN ? new Decimal(1) : null),
        failures: [],
      }),
    } as unknown as ChainReader
    const found = await readMarkPrices(reader)
    assert.deepEqual([found.chainId, found.chain], [901, 'devnet'])
    const prices = [TOKEN, NATIVE_ADDRESS, `0x${'0'.repeat(40)}`, `0x${'6'.repeat(40)}`].map((token) => found.of(token)?.toFixed() ?? null)
    assert.deepEqual(prices, ['1', '2000', '2000', null])
  })
})
