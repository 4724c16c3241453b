import { createManualClock, createSilentLogger, type ManualClock } from '@keelson/runtime'
import { createPlatformServer } from '../http/platform-server.ts'
import { createMemoryRateLimits } from '../http/rate-limit-store.ts'
import type { Caller } from '../http/route.ts'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import { chainsOf } from '../market/chain/chains.ts'
import { Decimal } from '../market/decimal.ts'
import { createDefidata, type DefidataSource } from '../market/defidata/defidata.ts'
import { SourceError } from '../market/source-error.ts'
import { problem, succeeded } from '../market/tool-outcome.ts'
import { openTestDatabase } from '../storage/database.test-support.ts'
import type { Database } from '../storage/database.ts'
import { users } from '../storage/schema/auth.ts'
import { createPortfolioRoutes } from './portfolio-routes.ts'

export const START_MS = Date.parse('2026-01-01T00:00:00Z')
export const ADDRESS = (digit: string) => `0x${digit.repeat(40)}`
export const [WALLET, USDC, WETH, WBTC] = [ADDRESS('1'), ADDRESS('2'), ADDRESS('3'), ADDRESS('4')] as const
export const CHAIN_ID = 901

export interface PortfolioWorld {
  readonly db: Database
  readonly clock: ManualClock
  readonly prices: Map<string, string>
  down: boolean
  // biome-ignore lint/suspicious/noExplicitAny: what a client sees
  ask(method: 'GET' | 'POST', path: string, json?: unknown, token?: string | null): Promise<{ status: number; body: any; headers: any }>
  close(): Promise<void>
}

const CALLERS: Readonly<Record<string, Caller>> = {
  ann: { tier: 'session', userId: 1, sessionId: 'a' },
  'ann-too': { tier: 'session', userId: 1, sessionId: 'b' },
  bob: { tier: 'session', userId: 2, sessionId: 'c' },
  'ann-user': { tier: 'user', userId: 1 },
}

export async function createPortfolioWorld({ configured = true, limitScale = 10 } = {}): Promise<PortfolioWorld> {
  const db = await openTestDatabase()
  const clock = createManualClock(START_MS)
  const row = (email: string) => ({ email, passwordHash: '-', createdAt: new Date(START_MS) })
  await db.insert(users).values([row('ann@example.org'), row('bob@example.org')])
  const priced = new Map<string, string>()
  const assertUp = () => {
    if (world.down) throw new SourceError('devnet', 'unreachable', 'no connection')
  }
  const of = (token: string) => {
    const price = priced.get(token)
    return price === undefined ? null : new Decimal(price)
  }
  const reader = {
    config: { id: CHAIN_ID, name: 'devnet', aliases: [] },
    async usdPrices() {
      assertUp()
      return { native: null, of, failures: [] }
    },
  }
  const unasked = () => Promise.reject(new Error('the portfolio asks for no such thing'))
  const source: DefidataSource = {
    knows: () => true,
    tokenPrice: unasked,
    pools: unasked,
    async tvl({ chain = 'devnet' }) {
      assertUp()
      if (chain !== 'devnet') return problem('not-found', `no chain ${chain}`)
      const facts = { protocol: null, pools: [], complete: true, as_of: '2026-01-01T00:00:00Z', source: 'devnet' }
      return succeeded({ chain, tvl_usd: '1234567.89', ...facts })
    },
  }
  const chains = configured ? chainsOf([reader as unknown as ChainReader]) : null
  const log = createSilentLogger()
  const server = await createPlatformServer(
    { host: '127.0.0.1', port: 0, virtualHosts: [], version: '1', trustedProxies: [], corsOrigins: [], limitScale },
    {
      routes: createPortfolioRoutes({ db, clock, chains, defidata: createDefidata(configured ? [source] : []) }),
      authenticator: { verify: async (token) => CALLERS[token] ?? null, isThere: async () => true },
      limits: createMemoryRateLimits(clock),
      isOutage: () => false,
      clock,
      log,
    },
  )
  await server.app.ready()
  const world: PortfolioWorld = {
    db,
    clock,
    prices: priced,
    down: false,
    async ask(method, path, json, token = 'ann') {
      const response = await server.app.inject({
        method,
        url: path,
        headers: {
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(json === undefined ? {} : { payload: JSON.stringify(json) }),
      })
      return { status: response.statusCode, body: response.json(), headers: response.headers }
    },
    close: async () => void (await server.app.close()),
  }
  return world
}

export function trade(given: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    agent: 'trader',
    wallet_address: WALLET,
    chain_id: CHAIN_ID,
    venue: 'uniswap-v2',
    token_in_address: USDC,
    token_out_address: WETH,
    token_in_symbol: 'USDC',
    token_out_symbol: 'WETH',
    amount_in: '4000',
    amount_out: '2',
    amount_in_usd: 4000,
    amount_out_usd: 4000,
    price_in_usd_per_unit: 1,
    price_out_usd_per_unit: 2000,
    fees_usd: 0,
    status: 'success',
    simulated: false,
    ...given,
  }
}

export function sale(weth: string, usd: number, given: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return trade({
    token_in_address: WETH,
    token_out_address: USDC,
    token_in_symbol: 'WETH',
    token_out_symbol: 'USDC',
    amount_in: weth,
    amount_out: String(usd),
    amount_in_usd: usd,
    amount_out_usd: usd,
    price_in_usd_per_unit: undefined,
    price_out_usd_per_unit: 1,
    ...given,
  })
}
