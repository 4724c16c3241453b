import assert from 'node:assert/strict'
import { type AssistantWorld, CALLER, createAssistantWorld, MINED, OTHER_CALLER } from '../assistant/assistant-world.test-support.ts'
import { CHAIN, DOLLAR, swapInput } from '../trading/market.test-support.ts'
import type { ToolCaller, ToolEffect } from './tool.ts'

const { signal } = new AbortController()
const ALL: readonly ToolEffect[] = ['reads', 'moves-money']
const SWAP = { token_in: 'testUSD', token_out: 'ETH', amount: '100' }
const ORDER = {
  input: swapInput({ simulate_only: false }),
  confirm: true,
  wallet_ref: 'main',
  idempotency_key: 'one',
}

describe('tools of agents', () => {
  let world: AssistantWorld
  beforeEach(() => {
    world = createAssistantWorld()
  })
  // biome-ignore lint/suspicious/noExplicitAny: each tool answers in its own form
  const call = async (name: string, args: unknown, caller: ToolCaller | null = CALLER): Promise<any> =>
    world.toolbox.call(name, args, { caller, signal }, ALL)
  const value = async (name: string, args: unknown) => {
    const result = await call(name, args)
    assert.ok(result.ok, result.detail)
    return result.value
  }

  it('are named and described, and one of them moves money', () => {
    for (const { name, title, description } of world.tools) {
      assert.match(name, /^[a-z][a-z0-9_]{2,40}$/)
      assert.ok(title !== '' && description.length > 20, name)
    }
    assert.deepEqual(
      world.tools.filter(({ effect }) => effect === 'moves-money').map(({ name }) => name),
      ['swap_execute'],
    )
  })

  it('of a session are those that speak of a user, or keep something for one', () => {
    const open = world.tools.filter(({ access }) => access === 'public').map(({ name }) => name)
    assert.deepEqual(
      open.filter((name) => /swap|quote|risk|wallets|position|portfolio|research|execution/.test(name)),
      [],
    )
  })

  it('say where every answer is from', async () => {
    const asked: readonly (readonly [string, unknown])[] = [
      ['oracle_price', { pair: 'ETH/USD' }],
      ['chains_list', {}],
      ['block_latest', {}],
      ['block_by_number', { number: 3, chain: 'evm' }],
      ['block_by_hash', { hash: `0x${'11'.repeat(32)}` }],
      ['transaction_status', { tx_hash: MINED }],
      ['gas_price', { chain: String(CHAIN) }],
      ['tokens_list', {}],
      ['token_info', { token: 'testusd' }],
      ['wallet_balance', { address: DOLLAR }],
      ['quote_reference', SWAP],
      ['quote_swap', SWAP],
      ['risk_assess', SWAP],
      ['token_risk', { token: 'testBTC' }],
      ['wallets_list', {}],
      ['swap_simulate', { ...SWAP, wallet_ref: 'main' }],
      ['positions', {}],
      ['portfolio_metrics', {}],
      ['bitcoin_validate_address', { address: 'x' }],
      ['tvl_get', {}],
      ['token_price', { symbol: 'ETH' }],
      ['pools_list', {}],
    ]
    for (const [name, args] of asked) {
      const { source } = await value(name, args)
      assert.ok(typeof source === 'string' && source !== '', name)
    }
  })

  it('answer with what is not set up, instead of not being there', async () => {
    for (const [name, args] of [
      ['bitcoin_latest_block', {}],
      ['research_run', {}],
    ] as const)
      assert.equal((await call(name, args)).reason, 'not-configured')
  })

  it('take symbols for the tokens of the configuration only, in letters of either case', async () => {
    const { input } = await value('quote_swap', { ...SWAP, token_in: 'TESTusd' })
    assert.equal(input.token_in_address.toLowerCase(), DOLLAR)
    const other = await call('quote_swap', { ...SWAP, token_in: 'ODD' })
    assert.ok(!other.ok && other.reason === 'not-found' && other.detail.includes('testUSD'))
  })

  it('assess the quote that is named, when it was given to this session', async () => {
    const { quote_id } = await value('quote_swap', SWAP)
    assert.equal((await value('risk_assess', { ...SWAP, quote_id })).quote.quote_id, quote_id)
    assert.equal((await call('risk_assess', { ...SWAP, quote_id }, OTHER_CALLER)).reason, 'not-found')
  })

  it('execute only with confirm, simulate_only false and a key, and once for each key', async () => {
    const { quote_id } = await value('quote_swap', SWAP)
    const wrong = [
      { ...ORDER, confirm: false },
      { ...ORDER, confirm: undefined },
      { ...ORDER, idempotency_key: undefined },
      { ...ORDER, input: swapInput({ simulate_only: true }) },
      { ...ORDER, input: swapInput() },
      { ...ORDER, wallet_ref: 'other' },
    ]
    for (const order of wrong) assert.equal((await call('swap_execute', order)).ok, false)
    assert.equal((await call('swap_execute', ORDER, OTHER_CALLER)).reason, 'not-found')
    assert.equal(world.trading.chain.pool.size, 0)
    const input = { ...ORDER.input, amount_in: '100', slippage_bps: undefined }
    const sent = await value('swap_execute', { ...ORDER, input: JSON.parse(JSON.stringify(input)), quote_id })
    assert.equal(sent.status, 'pending')
    const again = await value('swap_execute', { ...ORDER, input: JSON.parse(JSON.stringify(input)), quote_id })
    assert.equal(again.tx_hash, sent.tx_hash)
    await world.trading.settle()
    assert.equal(world.trading.chain.trades.length, 1)
    assert.equal((await value('execution_status', { execution_id: sent.execution_id })).status, 'success')
    assert.equal((await call('execution_status', { execution_id: sent.execution_id }, OTHER_CALLER)).reason, 'not-found')
  })

  it('tell what the policy refused', async () => {
    const refused = await call('swap_execute', { ...ORDER, input: swapInput({ simulate_only: false, amount_in: '2000' }) })
    assert.ok(!refused.ok && refused.reason === 'invalid' && /policy/.test(refused.detail))
    assert.equal(world.trading.chain.pool.size, 0)
  })

  it('say that the chain is away, and which', async () => {
    world.away = true
    for (const [name, args] of [
      ['oracle_price', { pair: 'ETH/USD' }],
      ['block_latest', {}],
      ['wallet_balance', { address: DOLLAR }],
      ['quote_swap', { ...SWAP, token_in: DOLLAR }],
    ] as const) {
      const result = await call(name, args)
      assert.ok(!result.ok && result.reason === 'unavailable' && result.detail.includes('keelson-devnet'), name)
    }
  })
})
