import assert from 'node:assert/strict'
import { positions, trades, walletSnapshots } from '../storage/schema/portfolio.ts'
import {
  ADDRESS,
  CHAIN_ID,
  createPortfolioWorld,
  type PortfolioWorld,
  START_MS,
  sale,
  trade,
  USDC,
  WALLET,
  WBTC,
  WETH,
} from './portfolio-world.test-support.ts'
import { MAX_SNAPSHOTS_OF_WALLET } from './snapshot-store.ts'

const TRADES = '/api/v1/metrics/trades'
const POSITIONS = '/api/v1/positions'
const MARK = '/api/v1/positions/mark-to-market'
const SNAPSHOT = '/api/v1/metrics/wallets/snapshot'
const VOLUME = '/api/v1/metrics/volume'
const PNL = '/api/v1/metrics/pnl'
const UNREALIZED = '/api/v1/metrics/pnl/unrealized'
const TVL = '/api/v1/metrics/tvl'
const HASH = `0x${'Ab'.repeat(32)}`

describe('the portfolio over HTTP', () => {
  let world: PortfolioWorld
  beforeEach(async () => {
    world = await createPortfolioWorld()
  })
  afterEach(() => world.close())

  const ok = async (...args: Parameters<PortfolioWorld['ask']>) => {
    const { status, body } = await world.ask(...args)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const position = async (token: string, as = 'ann') =>
    // biome-ignore lint/suspicious/noExplicitAny: what a client sees
    (await ok('GET', POSITIONS, undefined, as)).find(({ token_address }: any) => token_address === token)
  const snapshot = (agent: string, wallet: string, values: readonly number[]) => ({
    agent,
    wallet_address: wallet,
    chain_id: CHAIN_ID,
    holdings: values.map((usd_value) => ({ token_address: WETH, token_symbol: 'WETH', quantity: 1, usd_value })),
  })

  it('a purchase opens a position with the fields of the document, and a sale realises by average cost', async () => {
    const bought = await ok('POST', TRADES, trade({ fees_usd: 10, tx_hash: HASH }))
    assert.deepEqual(bought, {
      id: 1,
      status: 'success',
      simulated: false,
      tx_hash: HASH.toLowerCase(),
      realized_pnl_usd: 0,
      duplicate: false,
      recorded_at: new Date(START_MS).toISOString(),
    })
    assert.deepEqual(await ok('GET', POSITIONS), [
      {
        id: 1,
        agent: 'trader',
        wallet_address: WALLET,
        chain_id: CHAIN_ID,
        token_address: WETH,
        token_symbol: 'WETH',
        quantity: 2,
        cost_basis_usd_per_unit: 2005,
        realized_pnl_usd: 0,
        last_price_usd: 2000,
        market_value_usd: 4000,
        unrealized_pnl_usd: -10,
        updated_at: new Date(START_MS).toISOString(),
      },
    ])
    const sold = await ok('POST', TRADES, sale('0.5', 1_102.5))
    assert.equal(sold.realized_pnl_usd, 100)
    const left = await position(WETH)
    assert.deepEqual(
      [left.quantity, left.cost_basis_usd_per_unit, left.realized_pnl_usd, left.last_price_usd, left.unrealized_pnl_usd],
      [1.5, 2005, 100, 2205, 300],
    )
    assert.equal((await position(USDC)).quantity, 1_102.5)
  })

  it('calculates in decimals: ten times a tenth is one, and stored figures keep every digit', async () => {
    for (let i = 0; i < 10; i++) await ok('POST', TRADES, trade({ amount_out: '0.1', amount_in_usd: 0.1, amount_out_usd: 0.1 }))
    const held = await position(WETH)
    assert.deepEqual([held.quantity, held.cost_basis_usd_per_unit], [1, 1])
    assert.equal((await ok('GET', VOLUME)).total_volume_usd, 1)
    await ok('POST', TRADES, trade({ token_out_address: WBTC, amount_out: '123456789012345678901234.000000000000000001' }))
    const rows = await world.db.select({ quantity: positions.quantity }).from(positions)
    assert.ok(rows.some(({ quantity }) => quantity === '123456789012345678901234.000000000000000001'))
  })

  it('a sale of more than is held closes the position and realises on what was held alone', async () => {
    await ok('POST', TRADES, trade())
    assert.equal((await ok('POST', TRADES, sale('8', 20_000))).realized_pnl_usd, 1_000)
    const closed = await position(WETH)
    assert.deepEqual([closed.quantity, closed.cost_basis_usd_per_unit, closed.unrealized_pnl_usd], [0, 0, 0])
  })

  it('simulated, pending and failed trades are kept and move nothing', async () => {
    for (const given of [{ simulated: true }, { status: 'failed' }, { status: 'pending' }]) await ok('POST', TRADES, trade(given))
    assert.equal((await world.db.select().from(trades)).length, 3)
    assert.deepEqual(await ok('GET', POSITIONS), [])
    assert.deepEqual(await ok('GET', VOLUME), { total_volume_usd: 0, by_agent: [] })
    assert.deepEqual(await ok('GET', PNL), { realized_pnl_usd: 0, by_agent: [] })
  })

  it('a transaction counts once, also when sent many times at once; a pending one settles once', async () => {
    const pending = trade({ tx_hash: HASH, status: 'pending' })
    await ok('POST', TRADES, pending)
    const answers = await Promise.all(Array.from({ length: 8 }, () => ok('POST', TRADES, trade({ tx_hash: HASH.toLowerCase() }))))
    assert.equal(answers.filter(({ duplicate }) => !duplicate).length, 1)
    assert.equal((await position(WETH)).quantity, 2)
    assert.equal((await world.db.select().from(trades)).length, 1)
    const other = await world.ask('POST', TRADES, trade({ tx_hash: HASH, amount_out: '3' }))
    assert.deepEqual([other.status, typeof other.body.detail], [400, 'string'])
    assert.equal((await ok('POST', TRADES, trade({ tx_hash: HASH }), 'bob')).duplicate, false)
    assert.equal((await ok('POST', TRADES, trade({ tx_hash: HASH, simulated: true }))).duplicate, false)
    assert.equal((await position(WETH)).quantity, 2)
  })

  it('trades at the same time all count', async () => {
    await Promise.all(Array.from({ length: 12 }, () => ok('POST', TRADES, trade())))
    assert.equal((await position(WETH)).quantity, 24)
  })

  it('what belongs to a user is seen by all of that user and by nobody else', async () => {
    await ok('POST', TRADES, trade())
    await ok('POST', SNAPSHOT, snapshot('trader', WALLET, [5]))
    assert.equal((await ok('GET', POSITIONS, undefined, 'ann-too')).length, 1)
    assert.deepEqual(await ok('GET', POSITIONS, undefined, 'bob'), [])
    assert.equal((await ok('GET', VOLUME, undefined, 'bob')).total_volume_usd, 0)
    assert.equal((await ok('GET', UNREALIZED, undefined, 'bob')).unrealized_pnl_usd, 0)
    assert.equal((await ok('GET', `${TVL}?mode=agents`, undefined, 'bob')).tvl_usd, 0)
    world.prices.set(WETH, '1')
    assert.equal((await ok('POST', MARK, { agent: 'trader', chain: 'devnet' }, 'bob')).marked, 0)
    assert.equal((await position(WETH)).last_price_usd, 2000)
  })

  it('positions are filtered and come in pages', async () => {
    const other = ADDRESS('a')
    await ok('POST', TRADES, trade())
    await ok('POST', TRADES, trade({ agent: 'other' }))
    await ok('POST', TRADES, trade({ wallet_address: other, token_out_address: WBTC }))
    const ids = async (query: string) => (await ok('GET', `${POSITIONS}?${query}`)).map(({ id }: { id: number }) => id)
    const all = await ids('')
    assert.equal(all.length, 3)
    assert.deepEqual(await ids('agent=other'), [all[1]])
    assert.deepEqual(await ids(`wallet_address=0x${'A'.repeat(40)}`), [all[2]])
    assert.deepEqual(await ids('limit=2'), all.slice(0, 2))
    assert.deepEqual(await ids('limit=2&offset=2'), all.slice(2))
    for (const query of ['limit=0', 'limit=1001', 'offset=-1', 'wallet_address=me'])
      assert.equal((await world.ask('GET', `${POSITIONS}?${query}`)).status, 422, query)
  })

  it('marking values what an agent holds on a chain; a token without a price keeps its last', async () => {
    await ok('POST', TRADES, trade())
    await ok('POST', TRADES, trade({ token_out_address: WBTC, token_out_symbol: 'WBTC', amount_out: '1', price_out_usd_per_unit: 4000 }))
    await ok('POST', TRADES, trade({ chain_id: 1 }))
    world.prices.set(WETH, '2500.5')
    world.clock.advance(1_000)
    assert.deepEqual(await ok('POST', MARK, { agent: 'trader', chain: 'devnet' }), {
      agent: 'trader',
      chain: 'devnet',
      chain_id: CHAIN_ID,
      marked: 1,
      unpriced: [WBTC],
      market_value_usd: 9_001,
      unrealized_pnl_usd: 1_001,
      marked_at: new Date(START_MS + 1_000).toISOString(),
    })
    assert.deepEqual(await ok('GET', UNREALIZED), { unrealized_pnl_usd: 1_001, by_agent: [{ key: 'trader', value: 1_001 }] })
  })

  it('marking: an unknown chain is 404, an outage 503, and without sources 503', async () => {
    const mark = () => world.ask('POST', MARK, { agent: 'trader', chain: 'devnet' })
    assert.equal((await world.ask('POST', MARK, { agent: 'trader', chain: 'nowhere' })).status, 404)
    world.down = true
    const { status, headers, body } = await mark()
    assert.deepEqual([status, typeof body.detail], [503, 'string'])
    assert.ok(Number(headers['retry-after']) > 0)
    await world.close()
    world = await createPortfolioWorld({ configured: false })
    assert.equal((await mark()).status, 503)
    assert.equal((await world.ask('GET', `${TVL}?mode=defidata`)).status, 503)
  })

  it('volume and realised profit are of a window from its start until before its end, by agent', async () => {
    await ok('POST', TRADES, trade())
    world.clock.advance(3_600_000)
    await ok('POST', TRADES, sale('1', 2_500))
    await ok('POST', TRADES, trade({ agent: 'other', amount_in_usd: 9_000 }))
    assert.deepEqual(await ok('GET', VOLUME), {
      total_volume_usd: 15_500,
      by_agent: [
        { key: 'other', value: 9_000 },
        { key: 'trader', value: 6_500 },
      ],
    })
    const volume = async (query: string) => (await ok('GET', `${VOLUME}?${query}`)).total_volume_usd
    assert.equal(await volume('end=2026-01-01T01:00:00Z'), 4_000)
    assert.equal(await volume('start=2026-01-01T01:00:00'), 11_500)
    assert.equal(await volume('start=2026-01-01T02:00:00%2B01:00&agent=trader'), 2_500)
    assert.equal(await volume('start=2026-01-01&end=2026-01-01'), 0)
    assert.deepEqual(await ok('GET', `${PNL}?agent=trader&start=2026-01-01T00:30:00Z`), {
      realized_pnl_usd: 500,
      by_agent: [{ key: 'trader', value: 500 }],
    })
    assert.equal((await ok('GET', `${PNL}?end=2026-01-01T00:30:00Z`)).realized_pnl_usd, 0)
  })

  it('value by agents is of the newest snapshot of each wallet; old ones go', async () => {
    assert.equal((await ok('POST', SNAPSHOT, snapshot('a', WALLET, [1]))).holdings, 1)
    const { total_usd } = await ok('POST', SNAPSHOT, snapshot('a', WALLET, [0.1, 0.2]))
    assert.equal(total_usd, 0.3)
    await ok('POST', SNAPSHOT, snapshot('a', ADDRESS('a'), [10]))
    await ok('POST', SNAPSHOT, snapshot('b', WALLET, [100]))
    assert.deepEqual(await ok('GET', `${TVL}?mode=agents`), {
      tvl_usd: 110.3,
      mode: 'agents',
      by_agent: [
        { key: 'b', value: 100 },
        { key: 'a', value: 10.3 },
      ],
    })
    assert.equal((await ok('GET', `${TVL}?mode=agents&agent=a`)).tvl_usd, 10.3)
    await ok('POST', SNAPSHOT, snapshot('a', WALLET, []))
    assert.equal((await ok('GET', `${TVL}?mode=agents&agent=a`)).tvl_usd, 10)
    for (let i = 0; i < MAX_SNAPSHOTS_OF_WALLET + 3; i++) await ok('POST', SNAPSHOT, snapshot('c', WALLET, [i]))
    const kept = (await world.db.select().from(walletSnapshots)).filter(({ agent }) => agent === 'c')
    assert.equal(kept.length, MAX_SNAPSHOTS_OF_WALLET)
    assert.equal((await ok('GET', `${TVL}?mode=agents&agent=c`)).tvl_usd, MAX_SNAPSHOTS_OF_WALLET + 2)
  })

  it('value locked on a chain is what its source tells', async () => {
    const { tvl_usd, mode, chain, source } = await ok('GET', `${TVL}?mode=defidata&chain=devnet`)
    assert.deepEqual([tvl_usd, mode, chain, source], [1234567.89, 'defidata', 'devnet', 'devnet'])
    assert.equal((await world.ask('GET', `${TVL}?mode=defidata&chain=nowhere`)).status, 404)
    world.down = true
    assert.equal((await world.ask('GET', `${TVL}?mode=defidata`)).status, 503)
  })

  it('needs a session token on every route', async () => {
    const routes = [
      ...[POSITIONS, VOLUME, PNL, UNREALIZED, TVL].map((path) => ['GET', path]),
      ...[MARK, SNAPSHOT, TRADES].map((path) => ['POST', path]),
    ]
    for (const [method, path] of routes as ['GET' | 'POST', string][])
      for (const token of [null, 'nobody', 'ann-user'])
        assert.equal((await world.ask(method, path, method === 'POST' ? {} : undefined, token)).status, 401, `${method} ${path} ${token}`)
  })

  it('says what does not fit', async () => {
    const wrong = async (path: string, json: unknown, type: string, ...loc: (string | number)[]) => {
      const { status, body } = await world.ask(json === undefined ? 'GET' : 'POST', path, json)
      assert.equal(status, 422, JSON.stringify(body))
      assert.deepEqual([body.detail[0].type, body.detail[0].loc], [type, loc])
    }
    await wrong(TRADES, trade({ agent: undefined }), 'missing', 'body', 'agent')
    await wrong(TRADES, trade({ amount_in: '0' }), 'value_error', 'body', 'amount_in')
    await wrong(TRADES, trade({ amount_in: '1e5' }), 'string_pattern_mismatch', 'body', 'amount_in')
    await wrong(TRADES, trade({ amount_in: 5 }), 'string_type', 'body', 'amount_in')
    await wrong(TRADES, trade({ amount_in_usd: -1 }), 'greater_than_equal', 'body', 'amount_in_usd')
    await wrong(TRADES, trade({ status: 'done' }), 'literal_error', 'body', 'status')
    await wrong(TRADES, trade({ tx_hash: '0x12' }), 'string_pattern_mismatch', 'body', 'tx_hash')
    await wrong(TRADES, trade({ token_out_address: USDC }), 'value_error', 'body', 'token_out_address')
    await wrong(SNAPSHOT, snapshot('a', WALLET, [-1]), 'greater_than_equal', 'body', 'holdings', 0, 'usd_value')
    await wrong(SNAPSHOT, snapshot('a', WALLET, Array(501).fill(1)), 'too_long', 'body', 'holdings')
    await wrong(MARK, { agent: 'a' }, 'missing', 'body', 'chain')
    await wrong(`${VOLUME}?start=yesterday`, undefined, 'datetime_parsing', 'query', 'start')
    await wrong(`${PNL}?start=2026-01-02&end=2026-01-01`, undefined, 'value_error', 'query', 'end')
    await wrong(TVL, undefined, 'missing', 'query', 'mode')
    await wrong(`${TVL}?mode=all`, undefined, 'literal_error', 'query', 'mode')
    await wrong(`${TVL}?mode=agents&chain=devnet`, undefined, 'value_error', 'query', 'chain')
    await wrong(`${TVL}?mode=defidata&agent=a`, undefined, 'value_error', 'query', 'agent')
  })

  it('refuses who asks too often', async () => {
    await world.close()
    world = await createPortfolioWorld({ limitScale: 0.01 })
    for (let i = 0; i < 6; i++) await ok('GET', VOLUME)
    const { status, headers } = await world.ask('GET', VOLUME)
    assert.equal(status, 429)
    assert.ok(Number(headers['retry-after']) > 0)
  })
})
