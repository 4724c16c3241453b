import { type Address, type Hash, toAddress } from '@keelson/primitives'
import { type AuthWorld, createAuthWorld, START_MS } from '../auth/auth-world.test-support.ts'
import type { PlatformOptions } from '../create-platform.ts'
import type { Database } from '../storage/database.ts'
import { ChainConfigSchema } from './chain/chain-config.ts'
import type { ChainReader } from './chain/chain-reader.ts'
import { chainsOf } from './chain/chains.ts'
import { Decimal } from './decimal.ts'
import type { MarketFeed, MarketFeedSink } from './exchange/market-feed.ts'
import type { JsonSource } from './http/json-source.ts'
import { SourceError } from './source-error.ts'
import { NO_SOURCES, type Sources } from './sources.ts'
import { problem, succeeded } from './tool-outcome.ts'

export const TOKEN = toAddress(`0x${'d0'.repeat(20)}`)
const BLOCK_HASH = `0x${'11'.repeat(32)}` as Hash
const BITCOIN_HASH = '00'.repeat(8) + 'ab'.repeat(24)

export interface ToolWorld extends AuthWorld {
  readonly token: string
  readonly userToken: string
  readonly sessionId: string
  newSession(): Promise<{ readonly session_id: string; readonly token: { readonly access_token: string } }>
  away: boolean
  readonly market: { readonly open: Set<string>; stopped: boolean; sink: MarketFeedSink | null }
}

export async function createToolWorld(
  options: Partial<PlatformOptions> & {
    readonly sources?: Partial<Sources>
    readonly db?: Database
    readonly email?: string
    readonly seed?: number
  } = {},
): Promise<ToolWorld> {
  const { sources, db, email = 'ann@example.org', seed, ...platformOptions } = options
  const state = { away: false, market: { open: new Set<string>(), stopped: false, sink: null } as ToolWorld['market'] }
  const unlessAway = <T>(source: string, value: T): Promise<T> =>
    state.away ? Promise.reject(new SourceError(source, 'unreachable', 'no connection')) : Promise.resolve(value)
  const all: Sources = {
    ...NO_SOURCES,
    chains: chainsOf([fakeChain(unlessAway)]),
    esplora: fakeEsplora(unlessAway),
    marketFeed: fakeFeed(state.market, unlessAway),
    refreshSearch: () => unlessAway('search', succeeded({ status: 'refreshed' as const, documents: 3 })),
    ...sources,
  }
  const world = await createAuthWorld(platformOptions, db, all, seed)
  const userToken = await world.register(email)
  const newSession: ToolWorld['newSession'] = async () => (await world.ask('POST', '/api/v1/auth/session', { token: userToken })).body
  const session = await newSession()
  return Object.assign(state, world, { userToken, newSession, token: session.token.access_token, sessionId: session.session_id })
}

type UnlessAway = <T>(source: string, value: T) => Promise<T>

function fakeChain(unlessAway: UnlessAway): ChainReader {
  const config = ChainConfigSchema.parse({
    id: 901,
    name: 'test',
    aliases: ['evm'],
    rpcUrl: 'http://127.0.0.1:1',
    native: { symbol: 'ETH' },
  })
  const label = 'chain test (127.0.0.1)'
  const timestampSec = START_MS / 1000
  const block = {
    number: 7,
    hash: BLOCK_HASH,
    parentHash: BLOCK_HASH,
    timestampSec,
    transactions: 1,
    gasUsed: 21_000n,
    gasLimit: 30_000_000n,
    baseFeeWei: 1n,
  }
  const token = { address: TOKEN, symbol: 'USDX', name: 'Dollar', decimals: 6, known: true }
  const priceOf = (address: Address) => (address === TOKEN ? new Decimal(1) : null)
  const price = new Decimal(2_500)
  const unasked = async () => {
    throw new Error('this test asks no such thing of the chain')
  }
  return {
    config,
    label,
    block: unasked,
    transaction: unasked,
    gasPriceWei: unasked,
    baseFees: unasked,
    hasCode: unasked,
    senders: unasked,
    token: unasked,
    quote: unasked,
    ofBlock: unasked,
    swaps: unasked,
    poolToken: () => null,
    close: () => undefined,
    latest: () => unlessAway(label, block),
    knownTokens: () => unlessAway(label, [token]),
    pools: () => unlessAway(label, []),
    balances: () => unlessAway(label, { block, nativeWei: 2n * 10n ** 18n, tokens: [{ token, amount: 10_000_000n }] }),
    usdPrices: () => unlessAway(label, { native: price, of: priceOf, failures: [] }),
    price: (pair) =>
      unlessAway(
        label,
        pair.base !== 'ETH' || pair.quote !== 'USD'
          ? null
          : {
              ...pair,
              price,
              block,
              method: 'direct' as const,
              readings: [
                {
                  address: TOKEN,
                  description: 'ETH / USD',
                  base: 'ETH',
                  quote: 'USD',
                  roundId: 3n,
                  price,
                  updatedAtSec: timestampSec,
                  ageSec: 0,
                },
              ],
            },
      ),
  }
}

function fakeEsplora(unlessAway: UnlessAway): JsonSource {
  const block = {
    id: BITCOIN_HASH,
    height: 900_000,
    version: 2,
    timestamp: START_MS / 1000,
    tx_count: 5,
    size: 1_000,
    weight: 4_000,
    merkle_root: 'cd'.repeat(32),
    previousblockhash: 'ef'.repeat(32),
    nonce: 1,
    bits: 386_000_000,
    difficulty: 1.5,
  }
  return {
    label: 'Esplora (test)',
    get: async (_path, schema) => unlessAway('Esplora (test)', schema.parse(block)),
    text: () => unlessAway('Esplora (test)', BITCOIN_HASH),
  }
}

function fakeFeed(market: ToolWorld['market'], unlessAway: UnlessAway): MarketFeed {
  return {
    label: 'exchange (test)',
    check: ({ symbol }) =>
      unlessAway('exchange (test)', symbol === 'NONE' ? problem('not-found', 'no such symbol') : succeeded(true as const)),
    open: ({ symbol }) => void market.open.add(symbol),
    close: ({ symbol }) => void market.open.delete(symbol),
    connect: (sink) => {
      market.sink = sink
    },
    stop: () => {
      market.stopped = true
    },
  }
}
