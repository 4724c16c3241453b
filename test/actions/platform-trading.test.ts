import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIQUIDITY_CONTRACTS } from '@keelson/contracts'
import { NATIVE_ADDRESS } from '@keelson/platform'
import type { Address } from '@keelson/primitives'
import { DEV_ACCOUNTS } from '../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { PLATFORM_CHAIN_ID } from '../support/platform-world.ts'
import { createTradingPlatforms, devWallet, type Reply, type TradingPlatform, type TradingPlatforms } from '../support/trading-platform.ts'

const { TestDollar, TestBitcoin } = LIQUIDITY_CONTRACTS
const BASE = '/api/v1/multi-agent'
const EXECUTE = `${BASE}/execute/evm`
const MAX_ROUNDS = 50
const NOBODY = -1

const swap = (changes: Record<string, unknown> = {}) => ({
  chain_id: PLATFORM_CHAIN_ID,
  token_in_address: NATIVE_ADDRESS,
  token_out_address: TestDollar,
  amount_in: '0.5',
  slippage_bps: 50,
  simulate_only: false,
  ...changes,
})
const order = (changes: Record<string, unknown> = {}, input: Record<string, unknown> = {}) => ({
  input: swap(input),
  confirm: true,
  skip_risk: false,
  wallet_ref: 'main',
  ...changes,
})

describe('trading over HTTP', () => {
  let platforms: TradingPlatforms
  let one: TradingPlatform
  let two: TradingPlatform
  let folder: string
  let ann: string
  let bob: string

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-trading-'))
    platforms = await createTradingPlatforms()
    const config = {
      wallets: [
        devWallet(4, { users: ['ann@example.org'] }),
        devWallet(5, { users: ['bob@example.org'] }),
        devWallet(6, { ref: 'shared' }),
        devWallet(7, { ref: 'capped' }, { maxTradeUsd: 4_000, maxDailyUsd: 4_000 }),
      ],
      stopFile: join(folder, 'stop'),
      limits: { confirmations: 1, walletWaitSec: 0, answerWaitSec: 0 },
    }
    one = await platforms.open(config)
    two = await platforms.open(config)
    ann = await sessionOf('ann@example.org')
    bob = await sessionOf('bob@example.org')
  })
  after(async () => {
    await platforms.stop()
    rmSync(folder, { recursive: true })
  })

  async function sessionOf(email: string): Promise<string> {
    const registered = await one.ask('POST', '/api/v1/auth/register', { json: { email, password: 'correct horse battery' } })
    const { body } = await one.ask('POST', '/api/v1/auth/session', { token: registered.body.token.access_token })
    return body.token.access_token
  }
  const execute = (json: unknown, { token = ann, key, on = one }: { token?: string; key?: string; on?: TradingPlatform } = {}) =>
    on.ask('POST', EXECUTE, { token, json, headers: key === undefined ? {} : { 'idempotency-key': key } })
  const idOf = ({ headers }: Reply) => String(headers['x-execution-id'])
  const find = (id: string, token = ann, on = one) => on.ask('GET', `${EXECUTE}/${id}`, { token })

  async function settled(sent: Reply, token = ann): Promise<Reply['body']> {
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    for (let i = 0; i < MAX_ROUNDS; i++) {
      const { body } = await find(idOf(sent), token)
      if (body.status !== 'pending') return body
      await platforms.devnet.world.mine()
    }
    assert.fail('the trade was not settled')
  }
  async function whileTimePasses<T>(work: Promise<T>): Promise<T> {
    let isOver = false
    const over = work.finally(() => {
      isOver = true
    })
    for (let i = 0; i < MAX_ROUNDS && !isOver; i++) {
      await platforms.devnet.world.clock.advance(250)
      await find('nothing')
    }
    return over
  }
  const account = (i: number) => DEV_ACCOUNTS[i]?.address as Address
  const dollarsOf = async (i: number) =>
    (await platforms.devnet.chains.main.balances(account(i))).tokens.find(({ token }) => token.address === TestDollar)?.amount ?? 0n
  const transactionsOf = async (i: number) => Number(await platforms.devnet.world.call('eth_getTransactionCount', account(i), 'latest'))

  it('quotes at oracle prices, and names the field that prevents a quote', async () => {
    const quote = await one.ask('POST', `${BASE}/quote/evm/pseudo`, { token: ann, json: { input: swap({ simulate_only: undefined }) } })
    assert.equal(quote.status, 200)
    const { expected_out: out, gas_estimate: gas, venue, quote_id: id } = quote.body
    assert.deepEqual([out, gas, venue], ['1246.25', null, 'oracle_reference'])
    assert.match(id, /^q_/)
    const ask = (input: unknown) => one.ask('POST', `${BASE}/quote/evm/pseudo`, { token: ann, json: { input } })
    const unknown = await ask(swap({ token_out_address: `0x${'77'.repeat(20)}` }))
    assert.deepEqual([unknown.status, unknown.body.detail[0].loc], [422, ['body', 'input', 'token_out_address']])
    assert.deepEqual([unknown.body.detail[0].type, unknown.body.detail[0].input], ['value_error', `0x${'77'.repeat(20)}`])
    assert.equal((await ask(swap({ chain_id: 5 }))).body.detail[0].loc[2], 'chain_id')
    const dust = await ask(swap({ amount_in: '0.000000000000000001' }))
    assert.deepEqual([dust.status, typeof dust.body.detail], [400, 'string'])
    assert.equal((await one.ask('POST', `${BASE}/quote/evm/pseudo`, { json: { input: swap() } })).status, 401)
  })

  it('assesses a quote with all four checks', async () => {
    const { body: quote } = await one.ask('POST', `${BASE}/quote/evm/pseudo`, { token: ann, json: { input: swap() } })
    const assess = async (addresses: readonly string[], thresholds = {}) =>
      one.ask('POST', `${BASE}/risk/preview`, { token: ann, json: { quote, input: { chain: 'evm', addresses }, thresholds } })
    const { status, body } = await assess([NATIVE_ADDRESS, TestDollar])
    assert.equal(status, 200)
    assert.deepEqual([body.level, body.aggregate_score, body.flags], ['low', 10, []])
    assert.deepEqual(
      body.checks.map(({ name, result, passed, score }: Record<string, unknown>) => [name, result, passed, score]),
      ['rug', 'whale_flow', 'price_sanity', 'gas_spike'].map((name) => [name, 'pass', true, 10]),
    )
    const poor = await assess([NATIVE_ADDRESS, TestDollar], { min_liquidity_usd: 1_000_000_000 })
    assert.deepEqual([poor.body.level, poor.body.flags], ['high', ['rug:liquidity_below_threshold']])
    const strange = await assess([NATIVE_ADDRESS, `0x${'77'.repeat(20)}`])
    assert.ok(strange.body.level === 'high' || strange.body.level === 'unknown')
  })

  const executableQuote = async (token = ann) =>
    (await one.ask('POST', `${BASE}/preview/run`, { token, json: { text: 'swap', evm_input: swap() } })).body.quote

  it('rejects a quote that has expired or whose output was changed', async () => {
    const { body: quote } = await one.ask('POST', `${BASE}/quote/evm/pseudo`, { token: ann, json: { input: swap() } })
    const input = { chain: 'evm', addresses: [NATIVE_ADDRESS, TestDollar], checks: ['gas_spike'] }
    const assess = async (changes: Record<string, unknown>) =>
      (await one.ask('POST', `${BASE}/risk/preview`, { token: ann, json: { quote: { ...quote, ...changes }, input } })).body
    assert.deepEqual((await assess({})).flags, [])
    assert.deepEqual((await assess({ expected_out: `${quote.expected_out}00` })).flags, [])
    assert.deepEqual((await assess({ quote_id: 'made-up', expected_out: '1' })).flags, ['quote:unknown'])
    const past = '2020-01-01T00:00:00Z'
    for (const [changes, flags] of [
      [{ expected_out: '999999' }, ['quote:expected_out_changed']],
      [{ expires_at: past }, ['quote:expired']],
      [{ expires_at: past, quote_id: 'made-up' }, ['quote:expired']],
    ] as const) {
      const report = await assess(changes)
      assert.deepEqual([report.level, report.aggregate_score, report.flags], ['high', 0, flags])
      assert.deepEqual([report.checks[1].name, report.checks[1].passed], ['quote', false])
    }
    const { clock } = platforms.devnet.world
    await clock.advance(30_000)
    assert.deepEqual((await assess({ expires_at: '2100-01-01T00:00:00Z' })).flags, ['quote:expired'])
  })

  it('accepts neither text nor numbers for confirm, simulate_only or skip_risk', async () => {
    const before = await transactionsOf(4)
    for (const word of ['y', 'true', 'on', '1', 1, 'false', 0, [true]])
      for (const [body, loc] of [
        [order({ confirm: word }), ['body', 'confirm']],
        [order({}, { simulate_only: word }), ['body', 'input', 'simulate_only']],
        [order({ skip_risk: word }), ['body', 'skip_risk']],
      ] as const) {
        const { status, body: answer } = await execute(body)
        assert.deepEqual([status, answer.detail[0]?.loc], [422, loc], JSON.stringify(word))
        assert.match(answer.detail[0].msg, /true or false, as a JSON boolean/)
      }
    assert.equal(await transactionsOf(4), before)
  })

  it('enforces the requested minimum liquidity when the risk check is skipped', async () => {
    const thresholds = { min_liquidity_usd: 1e15 }
    const { status, body } = await execute(order({ confirm: false, skip_risk: true, thresholds }, { simulate_only: true }))
    assert.deepEqual([status, body.code], [400, 'threshold'])
    assert.match(body.detail, /deepest pool/)
  })

  it('refuses to trade on a reference quote', async () => {
    const { body: quote } = await one.ask('POST', `${BASE}/quote/evm/pseudo`, { token: ann, json: { input: swap() } })
    const { status, body } = await execute({ ...order(), quote_id: quote.quote_id }, { key: 'reference' })
    assert.deepEqual([status, body.code], [400, 'quote-reference'])
  })

  it('simulates without sending anything', async () => {
    const before = await transactionsOf(4)
    const { status, body, headers } = await execute(order({ confirm: false }, { simulate_only: true }))
    assert.deepEqual([status, body.status, body.tx_hash, body.explorer_url], [200, 'success', undefined, null])
    assert.match(body.tx.data, /^0x7ff36ab5/)
    assert.equal(headers['x-execution-id'], undefined)
    await platforms.devnet.world.mine()
    assert.equal(await transactionsOf(4), before)
  })

  it('swaps on a bound quote, once per key, and updates the positions', async () => {
    const quote = await executableQuote()
    const [dollars, transactions] = [await dollarsOf(4), await transactionsOf(4)]
    const bound = { ...order(), quote_id: quote.quote_id }
    const sent = await execute(bound, { key: 'first' })
    assert.deepEqual([sent.status, sent.body.status], [200, 'pending'])
    const again = await execute(bound, { key: 'first', on: two })
    assert.deepEqual([again.status, idOf(again), again.body.tx_hash], [200, idOf(sent), sent.body.tx_hash])
    const done = await settled(sent)
    assert.deepEqual([done.status, done.tx_hash], ['success', sent.body.tx_hash])
    assert.ok((await dollarsOf(4)) - dollars > 1_240n * 10n ** 6n)
    assert.equal(await transactionsOf(4), transactions + 1)
    const after = await execute(bound, { key: 'first' })
    assert.deepEqual([after.status, after.body], [200, done])
    assert.equal(await transactionsOf(4), transactions + 1)
    const used = await execute(bound, { key: 'second' })
    assert.deepEqual([used.status, used.body.code], [400, 'quote-used'])
    const simulated = await execute(order({ confirm: false }, { simulate_only: true }), { key: 'first' })
    assert.deepEqual([simulated.status, typeof simulated.body.detail], [409, 'string'])

    const positions = await one.ask('GET', '/api/v1/positions', { token: ann })
    const dollar = positions.body.find(({ token_address: token }: { token_address: string }) => token.toLowerCase() === TestDollar)
    assert.ok(dollar.quantity > 1_240 && dollar.quantity < 1_247, JSON.stringify(dollar))
    assert.ok((await one.ask('GET', '/api/v1/metrics/volume', { token: ann })).body.total_volume_usd > 1_200)
    assert.deepEqual((await one.ask('GET', '/api/v1/positions', { token: bob })).body, [])
  })

  it('sells a token with an allowance that the swap uses up', async () => {
    const before = await dollarsOf(4)
    const sent = await execute(order({}, { token_in_address: TestDollar, token_out_address: NATIVE_ADDRESS, amount_in: '1000' }))
    assert.equal((await settled(sent)).status, 'success')
    assert.equal(before - (await dollarsOf(4)), 1_000n * 10n ** 6n)
  })

  it('trades once when two instances race for one key', async () => {
    const before = await transactionsOf(4)
    const racing = await Promise.all([one, two, one, two].map((on) => execute(order(), { key: 'race', on })))
    const won = racing.filter(({ status }) => status === 200)
    assert.ok(won.length > 0)
    for (const { status, headers } of racing)
      assert.ok(status === 200 || (status === 503 && Number(headers['retry-after']) > 0), String(status))
    assert.equal(new Set(won.map(idOf)).size, 1)
    assert.equal((await settled(won[0] as Reply)).status, 'success')
    const late = await execute(order(), { key: 'race', on: two })
    assert.deepEqual([late.status, idOf(late)], [200, idOf(won[0] as Reply)])
    assert.equal(await transactionsOf(4), before + 1)
  })

  it('settles trades on the instance that leads, whichever placed them', async () => {
    platforms.elect(NOBODY)
    const sent = await execute(order({ wallet_ref: 'shared' }))
    for (let i = 0; i < 5; i++) {
      await platforms.devnet.world.mine()
      assert.equal((await find(idOf(sent))).body.status, 'pending')
    }
    platforms.elect(1)
    assert.equal((await settled(sent)).status, 'success')
    platforms.elect(null)
  })

  it('answers 409 for the key of another request, and 422 for a malformed key', async () => {
    const sent = await execute(order({}, { amount_in: '0.1' }), { key: 'mine' })
    const other = await execute(order({}, { amount_in: '0.2' }), { key: 'mine' })
    assert.deepEqual([other.status, typeof other.body.detail], [409, 'string'])
    assert.equal((await settled(sent)).status, 'success')
    const bobs = await execute(order({}, { amount_in: '0.2' }), { key: 'mine', token: bob })
    assert.equal((await settled(bobs, bob)).status, 'success')
    const wrong = await execute(order(), { key: 'a b' })
    assert.deepEqual([wrong.status, wrong.body.detail[0].loc], [422, ['header', 'idempotency-key']])
  })

  it('answers 503 while another trade of the wallet is pending, and accepts the same request afterwards', async () => {
    const first = await execute(order({ wallet_ref: 'shared' }))
    const busy = await execute(order({ wallet_ref: 'shared' }, { amount_in: '0.4' }), { token: bob, key: 'later', on: two })
    assert.deepEqual([busy.status, Number(busy.headers['retry-after']) > 0], [503, true])
    assert.match(busy.body.detail, /nothing of this one is reserved, signed or sent/)
    assert.equal((await settled(first)).status, 'success')
    const later = await execute(order({ wallet_ref: 'shared' }, { amount_in: '0.4' }), { token: bob, key: 'later', on: two })
    assert.equal((await settled(later, bob)).status, 'success')
  })

  it('answers 422 for a request that is neither a trade nor a simulation', async () => {
    for (const [confirm, simulate] of [
      [true, true],
      [false, false],
      [undefined, undefined],
      [true, undefined],
    ]) {
      const { status, body } = await execute(order({ confirm }, { simulate_only: simulate }))
      assert.deepEqual([status, body.detail[0].type, body.detail[0].loc], [422, 'value_error', ['body', 'confirm']])
    }
    const chain = await execute(order({}, { chain_id: 5 }))
    assert.deepEqual([chain.status, chain.body.detail[0].loc], [422, ['body', 'input', 'chain_id']])
    const token = await execute(order({}, { token_out_address: `0x${'77'.repeat(20)}` }))
    assert.deepEqual([token.status, token.body.detail[0].loc], [422, ['body', 'input', 'token_out_address']])
    assert.equal((await execute({ ...order(), simulateOnly: true })).body.detail[0].type, 'extra_forbidden')
  })

  it('answers 404 for a wallet or an execution of another user, as for an unknown one', async () => {
    const nobodys = await execute(order({ wallet_ref: 'other' }))
    const stranger = await sessionOf('eve@example.org')
    const anns = await execute(order(), { token: stranger })
    assert.deepEqual([nobodys.status, anns.status], [404, 404])
    assert.equal(anns.body.detail, nobodys.body.detail.replace('wallet_ref other', 'wallet_ref main'))
    const before = [await transactionsOf(4), await transactionsOf(5)]
    const sent = await execute(order(), { token: bob })
    await settled(sent, bob)
    assert.deepEqual([await transactionsOf(4), await transactionsOf(5)], [before[0], (before[1] ?? 0) + 1])
    const foreign = await find(idOf(sent))
    assert.deepEqual([foreign.status, (await find('nothing')).body], [404, foreign.body])
    assert.equal((await find(idOf(sent), bob, two)).status, 200)
  })

  it('answers 400 with the report when the risk is too high, and with the rule when the policy refuses', async () => {
    const risky = await execute(order({ thresholds: { min_liquidity_usd: 1_000_000_000 } }))
    assert.deepEqual([risky.status, risky.body.code, risky.body.risk.level], [400, 'risk', 'high'])
    assert.match(risky.body.detail, /threshold/)
    const refusedBy = async (changes: Record<string, unknown>, input: Record<string, unknown>) => {
      const { status, body } = await execute(order(changes, input))
      assert.deepEqual([status, body.code], [400, 'policy'], JSON.stringify(body))
      return body.rule
    }
    assert.equal(await refusedBy({}, { amount_in: '2.1' }), 'trade-cap')
    assert.equal(await refusedBy({}, { token_out_address: TestBitcoin }), 'token')
    assert.equal(await refusedBy({}, { slippage_bps: 101 }), 'slippage')
    assert.equal(await refusedBy({ skip_risk: true }, { token_out_address: TestBitcoin }), 'token')
    const simulated = await execute(order({ confirm: false }, { simulate_only: true, amount_in: '2.1' }))
    assert.deepEqual([simulated.status, simulated.body.rule], [400, 'trade-cap'])
    const input = swap()
    const { body: quote } = await one.ask('POST', `${BASE}/quote/evm/pseudo`, { token: bob, json: { input } })
    const foreign = await execute({ ...order(), quote_id: quote.quote_id })
    assert.deepEqual([foreign.status, foreign.body.code], [400, 'quote-unknown'])
  })

  it('answers 400 on all instances while the stop file exists', async () => {
    writeFileSync(join(folder, 'stop'), 'feeds look wrong\n')
    const before = await transactionsOf(4)
    for (const on of [one, two]) {
      const { status, body } = await execute(order(), { on })
      assert.deepEqual([status, body.code, body.rule], [400, 'policy', 'kill-switch'])
      assert.match(body.detail, /feeds look wrong/)
    }
    rmSync(join(folder, 'stop'))
    assert.equal((await settled(await execute(order()))).status, 'success')
    assert.equal(await transactionsOf(4), before + 1)
  })

  it('enforces the daily cap across users and instances', async () => {
    const sell = (on: TradingPlatform, token: string) => execute(order({ wallet_ref: 'capped' }, { amount_in: '1' }), { on, token })
    const first = await sell(one, ann)
    assert.equal((await settled(first)).status, 'success')
    const refused = await sell(two, bob)
    assert.deepEqual([refused.status, refused.body.rule], [400, 'daily-cap'])
  })

  it('returns the outcome on chain when it is known in time', async () => {
    const patient = await platforms.open({
      wallets: [devWallet(8, { ref: 'quick' })],
      stopFile: join(folder, 'stop'),
      limits: { confirmations: 1, answerWaitSec: 15 },
    })
    const before = await transactionsOf(8)
    const asking = execute(order({ wallet_ref: 'quick' }), { on: patient })
    const isSent = async () => Number(await platforms.devnet.world.call('eth_getTransactionCount', account(8), 'pending')) > before
    while (!(await isSent())) await new Promise((resolve) => setImmediate(resolve))
    await platforms.devnet.world.mine()
    const { status, body } = await whileTimePasses(asking)
    assert.deepEqual([status, body.status], [200, 'success'])
  })

  it('answers 503 without wallets, and while the chain is unavailable', async () => {
    const bare = await platforms.open(null)
    const unconfigured = await execute(order(), { on: bare })
    assert.deepEqual([unconfigured.status, unconfigured.headers['retry-after']], [503, undefined])
    assert.match(unconfigured.body.detail, /no wallet is configured/)
    const quoteOf = (on: TradingPlatform) => on.ask('POST', `${BASE}/quote/evm/pseudo`, { token: ann, json: { input: swap() } })
    const { status, body: quote } = await quoteOf(bare)
    assert.equal(status, 200)
    const away = await platforms.open({ wallets: [devWallet(4)] }, 'http://127.0.0.1:1')
    for (const answer of [await quoteOf(away), await whileTimePasses(execute(order(), { on: away }))]) {
      assert.deepEqual([answer.status, Number(answer.headers['retry-after']) > 0], [503, true])
      assert.match(answer.body.detail, /127\.0\.0\.1:1/)
    }
    const input = { chain: 'evm', addresses: [NATIVE_ADDRESS, TestDollar] }
    const risk = await away.ask('POST', `${BASE}/risk/preview`, { token: ann, json: { quote, input } })
    assert.deepEqual([risk.status, risk.body.level, risk.body.aggregate_score], [200, 'unknown', null])
  })

  it('describes the header and every status in /openapi.json', async () => {
    const { body } = await one.ask('GET', '/openapi.json')
    const { post } = body.paths[EXECUTE]
    const header = post.parameters.find(({ in: where }: { in: string }) => where === 'header')
    assert.equal(header.name, 'idempotency-key')
    assert.deepEqual(Object.keys(post.responses).map(Number), [200, 400, 401, 404, 409, 413, 415, 422, 429, 431, 500, 503])
  })
})
