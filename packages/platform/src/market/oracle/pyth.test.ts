import assert from 'node:assert/strict'
import { createHttpClient, createManualClock } from '@keelson/runtime'
import { createJsonSource } from '../http/json-source.ts'
import { type Loopback, openLoopback } from '../http/loopback.test-support.ts'
import { SourceError } from '../source-error.ts'
import { createPyth, PythConfigSchema } from './pyth.ts'

const [ETH, BTC] = ['ff'.repeat(32), 'e6'.repeat(32)] as const
const NOW_SEC = 1_800_000_000
const entry = (id: string, price: string, change: object = {}) => ({
  id,
  price: { price, conf: '100000000', expo: -8, publish_time: NOW_SEC - 5, ...change },
})
const path = (...ids: string[]) => `/v2/updates/price/latest?${ids.map((id) => `ids[]=${id}`).join('&')}&parsed=true`

describe('prices of Pyth', () => {
  const http = createHttpClient()
  let hermes: Loopback
  before(async () => {
    hermes = await openLoopback()
  })
  after(() => {
    http.close()
    hermes.close()
  })
  const pyth = (baseUrl = hermes.url) => {
    const feeds = [
      { id: `0x${ETH}`, base: 'ETH', quote: 'USD' },
      { id: BTC, base: 'BTC', quote: 'USD' },
    ]
    const config = PythConfigSchema.parse({ baseUrl, feeds })
    return createPyth(config, createJsonSource({ name: 'Pyth', baseUrl, timeoutMs: 60_000 }, http), createManualClock(NOW_SEC * 1000))
  }

  it('are scaled by their exponent, with interval and age', async () => {
    hermes.answers = { [path(ETH)]: { binary: {}, parsed: [entry(ETH, '250012345678')] } }
    const price = await pyth().price({ base: 'eth', quote: 'USD' })
    assert.deepEqual([price?.price.toFixed(), price?.method], ['2500.12345678', 'direct'])
    assert.deepEqual([price?.readings[0]?.confidence.toFixed(), price?.readings[0]?.ageSec], ['1', 5])
  })

  it('of two feeds give a cross', async () => {
    hermes.answers = { [path(BTC, ETH)]: { parsed: [entry(ETH, '250000000000'), entry(BTC, '10000000000000')] } }
    const price = await pyth().price({ base: 'BTC', quote: 'ETH' })
    assert.deepEqual([price?.price.toFixed(), price?.method, price?.readings.length], ['40', 'cross', 2])
    assert.equal(await pyth().price({ base: 'DOGE', quote: 'USD' }), null)
  })

  it('are not used when old, uncertain, not above zero, missing or malformed; nor when the service is away', async () => {
    for (const [parsed, reason] of [
      [[entry(ETH, '250000000000', { publish_time: NOW_SEC - 61 })], 'stale'],
      [[entry(ETH, '250000000000', { conf: '2500000001' })], 'bad-answer'],
      [[entry(ETH, '0')], 'bad-answer'],
      [[entry(ETH, '-5')], 'bad-answer'],
      [[entry(BTC, '250000000000')], 'bad-answer'],
      [[entry(ETH, '2.5e11')], 'bad-answer'],
      [[entry(ETH, '250000000000', { expo: -900 })], 'bad-answer'],
    ] as const) {
      hermes.answers = { [path(ETH)]: { parsed } }
      const refused = (error: unknown) =>
        error instanceof SourceError && error.reason === reason && error.source.startsWith('Pyth (127.0.0.1:')
      await assert.rejects(pyth().price({ base: 'ETH', quote: 'USD' }), refused, JSON.stringify(parsed))
    }
    const away = (error: unknown) => error instanceof SourceError && error.reason === 'unreachable'
    await assert.rejects(pyth('http://127.0.0.1:1').price({ base: 'ETH', quote: 'USD' }), away)
  })
})
