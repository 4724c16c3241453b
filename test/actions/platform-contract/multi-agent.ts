import assert from 'node:assert/strict'
import type { ContractTable } from '../../support/platform/contract-case.ts'
import { CONTRACT_WALLET } from '../../support/platform/contract-trading.ts'
import { SWAP } from './trading.ts'

const BASE = '/api/v1/multi-agent'
const TEXT = 'Swap 0.1 ETH for testUSD'

export const MULTI_AGENT: ContractTable = {
  [`GET ${BASE}/chains`]: {
    cases: {
      async '200 with every token of the chain, its own coin first'(_world, ask) {
        const answer = await ask()
        const [chain] = answer.body.chains
        assert.deepEqual([chain.tokens[0].address.toLowerCase(), chain.tokens[0].native], [SWAP.token_in_address, true], answer.text)
        const addresses = chain.tokens.map(({ address }: { address: string }) => address.toLowerCase())
        assert.ok(addresses.includes(SWAP.token_out_address.toLowerCase()), answer.text)
        return answer
      },
    },
  },
  [`GET ${BASE}/wallets`]: {
    cases: {
      async "200 with the caller's wallet and its limits"(_world, ask) {
        const answer = await ask()
        const [wallet] = answer.body.wallets
        assert.equal(wallet.wallet_ref, CONTRACT_WALLET, answer.text)
        assert.ok(Number(wallet.limits.max_trade_usd) > 0, answer.text)
        return answer
      },
    },
  },
  [`POST ${BASE}/preview`]: { valid: () => ({ json: { text: TEXT } }) },
  [`POST ${BASE}/preview/run`]: {
    valid: () => ({ json: { text: TEXT, evm_input: SWAP, thresholds: { max_slippage_bps: 500 } } }),
    cases: {
      '400 an amount that buys nothing': (_world, ask) =>
        ask({ json: { text: TEXT, evm_input: { ...SWAP, amount_in: '0.000000000000000001' } } }),
    },
  },
  [`POST ${BASE}/research/preview`]: {
    valid: () => ({ json: { tvl_chain: 'devnet' } }),
    cases: {
      async '200 what one source gave, and why another gave nothing'(_world, ask) {
        const answer = await ask({ json: { price_symbol: 'ETH', tvl_chain: 'elsewhere' } })
        assert.deepEqual([answer.body.defi_results.length, answer.body.errors.length], [1, 1], answer.text)
        return answer
      },
      '200 nothing asked': (_world, ask) => ask({ json: {} }),
      '400 variables of no query': (_world, ask) => ask({ json: { variables: { first: 1 } } }),
    },
  },
}
