import assert from 'node:assert/strict'
import type { ContractTable } from '../../support/platform/contract-case.ts'

const BASE = '/api/v1/multi-agent'
const COINBASE =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f' +
  '32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a010000004341' +
  '04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac' +
  '00000000'

export const TOOLS: ContractTable = {
  [`GET ${BASE}/bitcoin/tools`]: {},
  [`GET ${BASE}/bitcoin/latest-block`]: {},
  [`POST ${BASE}/bitcoin/tx/decode`]: {
    valid: () => ({ json: { raw_tx: COINBASE } }),
    cases: {
      '400 no hex': (_world, ask) => ask({ json: { raw_tx: 'xyz' } }),
      '400 no transaction': (_world, ask) => ask({ json: { raw_tx: '00' } }),
    },
  },
  [`POST ${BASE}/bitcoin/address/validate`]: { valid: () => ({ json: { address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' } }) },
  [`POST ${BASE}/oracle/price`]: {
    valid: () => ({ json: { chain: 'devnet', pair: 'ETH/USD' } }),
    cases: {
      '400 no pair': (_world, ask) => ask({ json: { chain: 'devnet', pair: 'ETHUSD' } }),
      '404 a chain that is not configured': (_world, ask) => ask({ json: { chain: 'elsewhere', pair: 'ETH/USD' } }),
      '404 a pair without a feed': (_world, ask) => ask({ json: { chain: 'devnet', pair: 'DOGE/USD' } }),
    },
  },
  [`GET ${BASE}/defidata/tools`]: {},
  [`POST ${BASE}/defidata/invoke`]: {
    valid: () => ({ json: { tool_name: 'tvl_get', arguments: {} } }),
    cases: {
      '200 a price': (_world, ask) => ask({ json: { tool_name: 'token_price', arguments: { symbol: 'ETH' } } }),
      '200 pools': (_world, ask) => ask({ json: { tool_name: 'pools_list', arguments: { limit: 1 } } }),
      '200 value locked': (_world, ask) => ask({ json: { tool_name: 'tvl_get' } }),
      '400 arguments that the tool does not take': (_world, ask) => ask({ json: { tool_name: 'token_price', arguments: {} } }),
      '404 no such tool': (_world, ask) => ask({ json: { tool_name: 'rug_pull', arguments: {} } }),
    },
  },
  [`POST ${BASE}/wallet/evm/balance`]: {
    valid: ({ devnet }) => ({ json: { address: devnet.trader } }),
    cases: {
      '404 a chain that is not configured': ({ devnet }, ask) => ask({ json: { address: devnet.trader, chain: 'elsewhere' } }),
      async '422 a wrong checksum'({ devnet }, ask) {
        const answer = await ask({ json: { address: `0x${devnet.trader.slice(2, 3)}A${devnet.trader.slice(4)}` } })
        assert.match(answer.text, /checksum/)
        return answer
      },
    },
  },
  [`POST ${BASE}/search/refresh`]: {},
}
