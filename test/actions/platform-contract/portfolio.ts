import assert from 'node:assert/strict'
import { LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import type { ContractCase, ContractTable } from '../../support/platform/contract-case.ts'
import { userIdOf } from '../../support/platform/token-claims.ts'
import { PLATFORM_CHAIN_ID } from '../../support/platform-world.ts'

const POSITIONS = '/api/v1/positions'
const METRICS = '/api/v1/metrics'
const WALLET = `0x${'1'.repeat(40)}`
const MAX_WALLETS = 1_000
const WINDOW = { start: '2026-01-01T00:00:00Z', end: '2030-01-01', agent: 'trader' }
const TRADE = {
  agent: 'trader',
  wallet_address: WALLET,
  chain_id: PLATFORM_CHAIN_ID,
  venue: 'uniswap-v2',
  token_in_address: LIQUIDITY_CONTRACTS.TestDollar,
  token_out_address: PREDEPLOYS.WETH,
  token_in_symbol: 'testUSD',
  token_out_symbol: 'WETH',
  amount_in: '4000',
  amount_out: '2',
  amount_in_usd: 4000,
  amount_out_usd: 4000,
  price_in_usd_per_unit: 1,
  price_out_usd_per_unit: 2000,
  fees_usd: 1,
  status: 'success',
  simulated: false,
  tx_hash: `0x${'ab'.repeat(32)}`,
}
const HOLDING = { token_address: PREDEPLOYS.WETH, token_symbol: 'WETH', quantity: 2, usd_value: 5000 }
const SNAPSHOT = { agent: 'trader', wallet_address: WALLET, chain_id: PLATFORM_CHAIN_ID, holdings: [HOLDING] }

const endBeforeStart: ContractCase = (_world, ask) => ask({ query: { start: '2026-01-02', end: '2026-01-01' } })

export const PORTFOLIO: ContractTable = {
  [`GET ${POSITIONS}`]: {
    valid: () => ({ query: { agent: 'trader', wallet_address: WALLET, limit: '10', offset: '0' } }),
    cases: {
      async '200 with a position'(world, ask) {
        const { session } = await world.newUser()
        assert.equal((await world.ask(`POST ${METRICS}/trades`, { token: session, json: TRADE })).status, 200)
        const answer = await ask({ token: session })
        assert.deepEqual(
          answer.body.map(({ agent, quantity }: { agent: string; quantity: number }) => [agent, quantity]),
          [['trader', 2]],
        )
        return answer
      },
    },
  },
  [`POST ${POSITIONS}/mark-to-market`]: {
    valid: () => ({ json: { agent: 'trader', chain: 'devnet' } }),
    cases: { '404 a chain that is not configured': (_world, ask) => ask({ json: { agent: 'trader', chain: 'elsewhere' } }) },
  },
  [`POST ${METRICS}/wallets/snapshot`]: {
    valid: () => ({ json: SNAPSHOT }),
    cases: {
      async '400 a wallet beyond the most'(world, ask) {
        const { user, session } = await world.newUser()
        await world.database.db.execute(
          `insert into wallet_snapshots (user_id, agent, wallet_address, chain_id, holdings, total_usd, taken_at)
           select ${userIdOf(user)}, 'trader', '0x' || lpad(to_hex(n), 40, '0'), 1, '[]', 0, now() from generate_series(1, ${MAX_WALLETS}) n`,
        )
        return ask({ token: session, json: SNAPSHOT })
      },
      '422 inside a holding': (_world, ask) => ask({ json: { ...SNAPSHOT, holdings: [{ ...HOLDING, quantity: -1 }] } }),
    },
  },
  [`POST ${METRICS}/trades`]: {
    valid: () => ({ json: TRADE }),
    cases: {
      async '400 a transaction recorded with other values'(world, ask) {
        const { session } = await world.newUser()
        assert.equal((await ask({ token: session, json: TRADE })).status, 200)
        return ask({ token: session, json: { ...TRADE, amount_out: '3' } })
      },
      '422 a token for itself': (_world, ask) => ask({ json: { ...TRADE, token_out_address: TRADE.token_in_address } }),
    },
  },
  [`GET ${METRICS}/volume`]: { valid: () => ({ query: WINDOW }), cases: { '422 the end before the start': endBeforeStart } },
  [`GET ${METRICS}/pnl`]: { valid: () => ({ query: WINDOW }), cases: { '422 the end before the start': endBeforeStart } },
  [`GET ${METRICS}/pnl/unrealized`]: { valid: () => ({ query: { agent: 'trader' } }) },
  [`GET ${METRICS}/tvl`]: {
    valid: () => ({ query: { mode: 'agents', agent: 'trader' } }),
    cases: {
      '200 of the agents': (_world, ask) => ask({ query: { mode: 'agents' } }),
      '200 of a chain': (_world, ask) => ask({ query: { mode: 'defidata', chain: 'devnet' } }),
      '404 a chain that is not configured': (_world, ask) => ask({ query: { mode: 'defidata', chain: 'elsewhere' } }),
      '422 a chain with agents': (_world, ask) => ask({ query: { mode: 'agents', chain: 'devnet' } }),
      '422 an agent with a chain': (_world, ask) => ask({ query: { mode: 'defidata', agent: 'trader' } }),
    },
  },
}
