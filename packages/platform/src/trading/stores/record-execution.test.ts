import assert from 'node:assert/strict'
import type { Hash, LogFields } from '@keelson/primitives'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { eq } from 'drizzle-orm'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal } from '../../market/decimal.ts'
import { createPortfolioMetrics } from '../../portfolio/metrics.ts'
import { createPositionStore } from '../../portfolio/position-store.ts'
import { openTestDatabase } from '../../storage/database.test-support.ts'
import type { Database } from '../../storage/database.ts'
import { users } from '../../storage/schema/auth.ts'
import { positions, trades } from '../../storage/schema/portfolio.ts'
import type { ExecutionRecord, TradeTerms } from '../execution/record.ts'
import { recordExecution, TRADING_AGENT } from './record-execution.ts'
import { acceptedRecord, finished, reserved, signed, T0, walletAt } from './stored-records.test-support.ts'

const DOLLAR = walletAt(500)
const BITCOIN = walletAt(501)
const HASH = `0x${'0'.repeat(62)}aa` as Hash

function settled(terms: Partial<TradeTerms> = {}, settlement: Partial<NonNullable<ExecutionRecord['settlement']>> = {}): ExecutionRecord {
  const record = finished(signed(reserved(acceptedRecord('e'), '100')), 'success')
  return {
    ...record,
    terms: {
      ...(record.terms as TradeTerms),
      tokenIn: DOLLAR,
      tokenOut: NATIVE_ADDRESS,
      symbolIn: 'USD',
      symbolOut: 'NTV',
      decimalsIn: 6,
      decimalsOut: 18,
      amountIn: '100000000',
      expectedOut: '40000000000000000',
      minimumOut: '39800000000000000',
      priceInUsd: '1',
      priceOutUsd: '2500',
      ...terms,
    },
    settlement: { txHash: HASH, blockNumber: 7, amountOut: '39900000000000001', feeWei: '200000000000000', ...settlement },
  }
}

describe('settled trades in the portfolio', () => {
  let db: Database
  let warnings: string[]
  let price: () => Promise<{ usd: Decimal; source: string } | null>
  const log = { ...createSilentLogger(), warn: (text: string, _?: LogFields) => void warnings.push(text) }
  const tell = (record: ExecutionRecord) =>
    recordExecution(db, { clock: createManualClock(T0), log, market: { price: () => price() } })(record)
  beforeEach(async () => {
    db = await openTestDatabase()
    await db.insert(users).values({ email: 'ann@example.org', passwordHash: '-', createdAt: new Date(T0) })
    warnings = []
    price = async () => ({ usd: new Decimal(3_000), source: 'feed' })
  })
  const held = async (token: string) => {
    const [row] = await db.select().from(positions).where(eq(positions.tokenAddress, token))
    return row === undefined ? null : [row.agent, row.walletAddress, row.chainId, row.quantity, row.costUsd, row.realizedPnlUsd]
  }

  it('move position, volume and profit, with the fee at the trade’s own native price', async () => {
    await tell(settled())
    assert.deepEqual(await held(NATIVE_ADDRESS), [TRADING_AGENT, walletAt(1), 901, '0.039900000000000001', '100.2500000000000025', '0'])
    const metrics = createPortfolioMetrics(db)
    assert.equal((await metrics.volume(1, {})).total, 100)
    const back = {
      tokenIn: NATIVE_ADDRESS,
      tokenOut: DOLLAR,
      symbolIn: 'NTV',
      symbolOut: 'USD',
      decimalsIn: 18,
      decimalsOut: 6,
      amountIn: '39900000000000001',
      minimumOut: '1',
      priceInUsd: '3000',
      priceOutUsd: '1',
    }
    await tell(settled(back, { txHash: `0x${'0'.repeat(62)}bb` as Hash, amountOut: '119000000', feeWei: '0' }))
    assert.deepEqual((await held(NATIVE_ADDRESS))?.slice(3), ['0', '0', '19.4500000000000005'])
    assert.equal((await metrics.realized(1, {})).total, 19.45)
    assert.equal((await metrics.volume(1, {})).total, new Decimal('219.700000000000003').toNumber())
    assert.deepEqual(
      (await createPositionStore(db).list(1, { limit: 9, offset: 0 })).map(({ agent }) => agent),
      [TRADING_AGENT, TRADING_AGENT],
    )
    assert.deepEqual(warnings, [])
  })

  it('count once however often they are recorded, although the native price differs each time', async () => {
    const record = settled({ tokenOut: BITCOIN, symbolOut: 'BTC', decimalsOut: 8 }, { amountOut: '100000' })
    await Promise.all([tell(record), tell(record)])
    price = async () => ({ usd: new Decimal(9_999), source: 'feed' })
    await tell(record)
    const rows = await db.select().from(trades)
    assert.deepEqual(
      rows.map(({ feesUsd, amountOut, txHash, status, simulated, venue }) => [feesUsd, amountOut, txHash, status, simulated, venue]),
      [['0.6', '0.001', HASH, 'success', false, 'uniswap-v2']],
    )
    assert.deepEqual((await held(BITCOIN))?.slice(3), ['0.001', '3.1', '0'])
  })

  for (const [what, source] of [
    ['unknown', async () => null],
    ['zero', async () => ({ usd: new Decimal(0), source: 'feed' })],
    ['unavailable', () => Promise.reject(new Error('the feed is away'))],
  ] as const) {
    it(`leave fees out when the native price is ${what}`, async () => {
      price = source
      await tell(settled({ tokenOut: BITCOIN, symbolOut: 'BTC', decimalsOut: 8 }, { amountOut: '100000' }))
      assert.deepEqual((await db.select().from(trades))[0]?.feesUsd, '0')
    })
  }

  it('take the least output, and say so, when the receipt does not show what came out', async () => {
    await tell(settled({}, { amountOut: null }))
    assert.equal((await held(NATIVE_ADDRESS))?.[3], '0.0398')
    assert.match(warnings.join(), /recording its least output/)
  })

  it('are not there for trades that failed', async () => {
    await tell({ ...settled(), state: 'failed' })
    await tell({ ...settled(), settlement: null })
    assert.equal(await db.$count(trades), 0)
  })

  it('stand as their user recorded them before, and complete what was pending', async () => {
    const record = settled()
    await tell(record)
    await db.update(trades).set({ agent: 'mine', amountOutUsd: '1' })
    await tell(record)
    assert.deepEqual(
      (await db.select().from(trades)).map(({ agent }) => agent),
      ['mine'],
    )
    await db.update(trades).set({ status: 'pending' })
    await tell(record)
    assert.deepEqual(
      (await db.select().from(trades)).map(({ agent, status }) => [agent, status]),
      [[TRADING_AGENT, 'success']],
    )
  })

  it('block nothing when the user is gone, and are recorded again when the database is unreachable', async () => {
    await db.delete(users)
    await tell(settled())
    assert.match(warnings.join(), /was not recorded in the portfolio/)
    const away = new Proxy(db, {
      get() {
        throw new Error('the database is away')
      },
    })
    await assert.rejects(recordExecution(away, { clock: createManualClock(T0), log })(settled()), /is away/)
  })
})
