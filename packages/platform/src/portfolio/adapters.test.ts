import assert from 'node:assert/strict'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import { chainsOf } from '../market/chain/chains.ts'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { Decimal } from '../market/decimal.ts'
import { createDefidata, type DefidataSource } from '../market/defidata/defidata.ts'
import { problem, succeeded } from '../market/tool-outcome.ts'
import { createChainMarkPrices } from './chain-mark-prices.ts'
import { createDefidataTvl } from './defidata-tvl.ts'

const TOKEN = `0x${'5'.repeat(40)}`

describe('the sources of the portfolio', () => {
  it('marks at the prices of the chain that is named, the native currency under both of its addresses', async () => {
    const reader = {
      config: { id: 901, name: 'devnet', aliases: ['main'] },
      usdPrices: async () => ({
        native: new Decimal(2000),
        of: (token: string) => (token === TOKEN ? new Decimal(1) : null),
        failures: [],
      }),
    }
    const source = createChainMarkPrices(chainsOf([reader as unknown as ChainReader]))
    const found = await source.prices('main')
    assert.ok(found.ok)
    assert.deepEqual([found.value.chainId, found.value.chain], [901, 'devnet'])
    const prices = [TOKEN, NATIVE_ADDRESS, `0x${'0'.repeat(40)}`, `0x${'6'.repeat(40)}`].map(
      (token) => found.value.of(token)?.toFixed() ?? null,
    )
    assert.deepEqual(prices, ['1', '2000', '2000', null])
    assert.deepEqual(await source.prices('other'), problem('not-found', 'chain other is not configured; expected one of devnet (901)'))
  })

  it('asks the tools for the value locked on a chain', async () => {
    const source: DefidataSource = {
      knows: () => true,
      tvl: async ({ chain = 'own' }) =>
        chain === 'nowhere'
          ? problem('not-found', 'no such chain')
          : succeeded({ chain, protocol: null, tvl_usd: '12.5', complete: false, pools: [], as_of: null, source: 'test' }),
      tokenPrice: () => assert.fail('not asked'),
      pools: () => assert.fail('not asked'),
    }
    const tvl = createDefidataTvl(createDefidata([source]))
    const [named, own] = [await tvl.tvl({ chain: 'devnet' }), await tvl.tvl({})]
    assert.ok(named.ok && own.ok)
    assert.deepEqual([named.value.chain, named.value.tvl_usd, named.value.complete, own.value.chain], ['devnet', '12.5', false, 'own'])
    assert.deepEqual(await tvl.tvl({ chain: 'nowhere' }), problem('not-found', 'no such chain'))
  })
})
