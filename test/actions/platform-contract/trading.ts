import assert from 'node:assert/strict'
import { LIQUIDITY_CONTRACTS } from '@keelson/contracts'
import { NATIVE_ADDRESS } from '../../../packages/platform/src/market/chain/native-address.ts'
import type { AskIt, ContractCase, ContractTable } from '../../support/platform/contract-case.ts'
import { CONTRACT_WALLET } from '../../support/platform/contract-trading.ts'
import type { ContractWorld } from '../../support/platform/contract-world.ts'
import { PLATFORM_CHAIN_ID } from '../../support/platform-world.ts'

const BASE = '/api/v1/multi-agent'
const EXECUTE = `POST ${BASE}/execute/evm`
export const SWAP = {
  chain_id: PLATFORM_CHAIN_ID,
  token_in_address: NATIVE_ADDRESS,
  token_out_address: LIQUIDITY_CONTRACTS.TestDollar,
  amount_in: '0.1',
  amount_in_currency: 'token_units',
  slippage_bps: 100,
}
const DUST = { ...SWAP, amount_in: '0.000000000000000001' }
const SIMULATION = { input: { ...SWAP, simulate_only: true }, confirm: false, skip_risk: true, wallet_ref: CONTRACT_WALLET }
const TRADE = { input: { ...SWAP, simulate_only: false }, confirm: true, skip_risk: true, wallet_ref: CONTRACT_WALLET }

const dust: ContractCase = (_world, ask) => ask({ json: { input: DUST } })
const LOOK_EVERY_MS = 1_000
const MAX_LOOKS = 60
let keys = 0
const newKey = () => ({ 'idempotency-key': `contract-${++keys}` })

async function quoteOf(world: ContractWorld) {
  const { body } = await world.ask(`POST ${BASE}/quote/evm/pseudo`, { token: world.mine.session, json: { input: SWAP } })
  return body
}

async function traded(world: ContractWorld, ask: AskIt, headers: Readonly<Record<string, string>> = {}) {
  const token = world.mine.session
  const sent = await ask({ token, json: TRADE, headers })
  assert.deepEqual([sent.status, sent.body.status], [200, 'pending'], sent.text)
  const id = sent.headers['x-execution-id'] ?? assert.fail('the execution has no name')
  for (let i = 0; i < MAX_LOOKS; i++) {
    await world.devnet.world.mine()
    await world.clock.advance(LOOK_EVERY_MS)
    const { body } = await world.ask(`GET ${BASE}/execute/evm/{execution_id}`, { token, params: { execution_id: id } })
    if (body.status === 'success') return { sent, id }
    assert.equal(body.status, 'pending', body.message)
  }
  return assert.fail(`${id} is not decided after ${MAX_LOOKS} blocks`)
}

const executions = new WeakMap<ContractWorld, Promise<string>>()
function executionId(world: ContractWorld): Promise<string> {
  const known = executions.get(world) ?? traded(world, (options) => world.ask(EXECUTE, options)).then(({ id }) => id)
  executions.set(world, known)
  return known
}

async function riskOf(world: ContractWorld) {
  const addresses = [SWAP.token_in_address, SWAP.token_out_address]
  return {
    quote: await quoteOf(world),
    input: { chain: 'evm', addresses, checks: ['price_sanity'] },
    thresholds: { max_slippage_bps: 500 },
  }
}

async function simulated(ask: AskIt, changes: Readonly<Record<string, unknown>>) {
  return ask({ json: { ...SIMULATION, ...changes } })
}

export const TRADING: ContractTable = {
  [`POST ${BASE}/quote/evm/pseudo`]: {
    valid: () => ({ json: { input: SWAP } }),
    cases: {
      '400 an amount that buys nothing': dust,
      '422 a chain that is not configured': (_world, ask) => ask({ json: { input: { ...SWAP, chain_id: 1 } } }),
      '422 a token for itself': (_world, ask) => ask({ json: { input: { ...SWAP, token_out_address: SWAP.token_in_address } } }),
    },
  },
  [`POST ${BASE}/risk/preview`]: {
    valid: async (world) => ({ json: await riskOf(world) }),
    cases: {
      '200 with every check': async (world, ask) => {
        const { input, ...rest } = await riskOf(world)
        const answer = await ask({ json: { ...rest, input: { ...input, checks: undefined } } })
        assert.equal(answer.body.checks.length, 4)
        return answer
      },
    },
  },
  [EXECUTE]: {
    valid: () => ({ json: SIMULATION }),
    cases: {
      '200 a simulation': (_world, ask) => simulated(ask, {}),
      async '200 a trade, and again with its key'(world, ask) {
        const headers = newKey()
        const { sent, id } = await traded(world, ask, headers)
        const again = await ask({ json: TRADE, headers })
        assert.deepEqual([again.headers['x-execution-id'], again.body.tx_hash, again.body.status], [id, sent.body.tx_hash, 'success'])
        return again
      },
      async '400 a threshold that is breached'(_world, ask) {
        const answer = await simulated(ask, { skip_risk: false, thresholds: { min_liquidity_usd: 1e15 } })
        assert.ok(Array.isArray(answer.body.risk?.checks), answer.text)
        return answer
      },
      '400 beyond the cap of a trade': (_world, ask) => ask({ json: { ...TRADE, input: { ...TRADE.input, amount_in: '5' } } }),
      '404 no such wallet': (_world, ask) => simulated(ask, { wallet_ref: 'another' }),
      async '409 a key that was used for another request'(world, ask) {
        const headers = newKey()
        await traded(world, ask, headers)
        return ask({ json: { ...TRADE, input: { ...TRADE.input, amount_in: '0.2' } }, headers })
      },
      '422 confirmed and simulated': (_world, ask) => simulated(ask, { confirm: true }),
      '422 neither confirmed nor simulated': (_world, ask) => ask({ json: { ...TRADE, confirm: false } }),
    },
  },
  [`GET ${BASE}/execute/evm/{execution_id}`]: {
    valid: async (world) => ({ params: { execution_id: await executionId(world) } }),
    cases: {
      '404 no such execution': (_world, ask) => ask({ params: { execution_id: 'none' } }),
      '404 of another user': async (world, ask) => ask({ token: world.theirs.session, params: { execution_id: await executionId(world) } }),
    },
  },
}
