import assert from 'node:assert/strict'
import { createHttpClient } from '@keelson/runtime'
import { type Loopback, openLoopback } from '../http/loopback.test-support.ts'
import { SourceError } from '../source-error.ts'
import { problem } from '../tool-outcome.ts'
import { createDefidata, type DefidataSource } from './defidata.ts'
import { LlamaConfigSchema, openLlama } from './llama-defidata.ts'

const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'

describe('DeFi data of others', () => {
  const http = createHttpClient()
  let server: Loopback
  before(async () => {
    server = await openLoopback()
  })
  after(() => {
    http.close()
    server.close()
  })
  beforeEach(() => {
    server.status = 200
    server.answers = {
      '/v2/chains': [
        { gecko_id: 'ethereum', tvl: 50_000_000_000.25, name: 'Ethereum', chainId: 1 },
        { tvl: 3_000_000, name: 'Base' },
      ],
      '/tvl/aave': 12_345.678,
      '/prices/current/coingecko:bitcoin': {
        coins: { 'coingecko:bitcoin': { price: 100_000.5, symbol: 'BTC', timestamp: 1_700_000_000, confidence: 0.99 } },
      },
      [`/prices/current/ethereum:${WETH}`]: { coins: { [`ethereum:${WETH}`]: { price: 2_500 } } },
      '/prices/current/coingecko:nothing': { coins: {} },
      '/pools': {
        status: 'success',
        data: [
          { pool: 'a', chain: 'Base', project: 'x', symbol: 'A-B', tvlUsd: 10, apy: null },
          { pool: 'b', chain: 'Ethereum', project: 'y', symbol: 'C-D', tvlUsd: 1_000.5, apy: 3.25 },
          { pool: 'c', chain: 'Ethereum', project: 'z', symbol: 'E-F', tvlUsd: 2_000, apy: 0.1 },
        ],
      },
    }
  })
  const llama = () => {
    const url = server.url
    return openLlama(
      LlamaConfigSchema.parse({
        apiUrl: url,
        coinsUrl: url,
        yieldsUrl: url,
        coins: { BTC: 'coingecko:bitcoin', NIL: 'coingecko:nothing' },
      }),
      http,
    )
  }
  const own: DefidataSource = {
    knows: (chain) => chain === undefined || chain === 'devnet',
    tvl: async () => problem('not-found', 'own'),
    tokenPrice: async () => problem('not-found', 'own'),
    pools: async () => problem('not-found', 'own'),
  }
  const invoke = async (tool_name: string, args: Record<string, unknown>) => {
    const outcome = await createDefidata([own, llama()]).invoke({ tool_name, arguments: args })
    return (outcome.ok ? outcome.value.result : outcome) as Record<string, unknown>
  }

  it('give value locked, prices and pools', async () => {
    assert.equal((await invoke('tvl_get', { chain: 'ethereum' })).tvl_usd, '50000000000.25')
    assert.equal((await invoke('tvl_get', { protocol: 'Aave' })).tvl_usd, '12345.68')
    const price = await invoke('token_price', { symbol: 'btc' })
    assert.deepEqual([price.price_usd, price.as_of], ['100000.5', '2023-11-14T22:13:20.000Z'])
    assert.equal((await invoke('token_price', { symbol: WETH, chain: 'Ethereum' })).price_usd, '2500')
    const { pools } = (await invoke('pools_list', { chain: 'ethereum', limit: 1 })) as {
      pools: { pool: string; tvl_usd: string; apy: string }[]
    }
    assert.deepEqual(
      pools.map(({ pool, tvl_usd, apy }) => [pool, tvl_usd, apy]),
      [['c', '2000', '0.1']],
    )
  })

  it('say what they do not know; who was asked for by its chain answers alone', async () => {
    for (const [tool, args, reason, detail] of [
      ['tvl_get', { chain: 'nowhere' }, 'not-found', /DefiLlama \(127/],
      ['tvl_get', { protocol: 'nothing' }, 'not-found', /nothing/],
      ['tvl_get', { protocol: 'aave', chain: 'base' }, 'invalid', /leave chain out/],
      ['token_price', { symbol: 'NIL' }, 'not-found', /coingecko:nothing/],
      ['token_price', { symbol: 'XYZ' }, 'not-found', /XYZ/],
      ['pools_list', { chain: 'nowhere' }, 'not-found', /nowhere/],
      ['tvl_get', { chain: 'devnet' }, 'not-found', /^own$/],
    ] as const) {
      const outcome = (await invoke(tool, args)) as { reason?: string; detail?: string }
      assert.ok(outcome.reason === reason && detail.test(outcome.detail ?? ''), `${tool}: ${JSON.stringify(outcome)}`)
    }
  })

  it('escape what callers put into a path', async () => {
    await invoke('tvl_get', { protocol: '../pools' })
    assert.equal(server.asked.at(-1), '/tvl/../pools')
    // if the `..` were resolved, the request would read /pools
    const asked = server.asked.length
    const dots = await invoke('tvl_get', { protocol: '..' })
    assert.deepEqual([dots.reason, server.asked.length], ['not-found', asked])
  })

  it('err when the source does', async () => {
    server.status = 500
    await assert.rejects(invoke('tvl_get', { chain: 'base' }), (error) => error instanceof SourceError && error.reason === 'refused')
    server.status = 200
    server.answers = { '/tvl/aave': '"12"', '/v2/chains': '<html>' }
    await assert.rejects(invoke('tvl_get', { protocol: 'aave' }), (error) => error instanceof SourceError && error.reason === 'bad-answer')
    await assert.rejects(invoke('tvl_get', { chain: 'base' }), (error) => error instanceof SourceError && error.reason === 'bad-answer')
  })
})
