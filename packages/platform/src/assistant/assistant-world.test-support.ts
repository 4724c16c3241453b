import { type Hash, toAddress, toHash } from '@keelson/primitives'
import { ChainConfigSchema } from '../market/chain/chain-config.ts'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import { type Chains, chainsOf } from '../market/chain/chains.ts'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { Decimal } from '../market/decimal.ts'
import { createChainDefidata } from '../market/defidata/chain-defidata.ts'
import { createDefidata } from '../market/defidata/defidata.ts'
import { findLegs, methodOf, priceThrough } from '../market/prices/pair-legs.ts'
import { canonicalSymbol } from '../market/prices/prices.ts'
import { SourceError } from '../market/source-error.ts'
import { problem, succeeded } from '../market/tool-outcome.ts'
import type { Message } from '../schemas/chat.ts'
import { createTools } from '../tools/create-tools.ts'
import { createTokenNames, type TokenNames } from '../tools/token-names.ts'
import type { AnyTool, ToolCaller, ToolEffect } from '../tools/tool.ts'
import { createToolbox, type Toolbox } from '../tools/toolbox.ts'
import { createTradingWorld, START_MS, type TradingWorld, WALLETS } from '../trading/execution/trading-world.test-support.ts'
import { BITCOIN, CHAIN, DOLLAR, ROUTER, WRAPPED } from '../trading/market.test-support.ts'
import { createRiskAssessor } from '../trading/risk/assess.ts'
import { createAssistant } from './assistant.ts'

export const LABEL = 'chain keelson-devnet (127.0.0.1)'
export const HOLDER = toAddress(`0x${'ab'.repeat(20)}`)
export const DEPOSIT = toHash(`0x${'cd'.repeat(32)}`)
export const FEED = {
  native: toAddress(`0x${'e1'.repeat(20)}`),
  bitcoin: toAddress(`0x${'e2'.repeat(20)}`),
  dollar: toAddress(`0x${'e3'.repeat(20)}`),
}
export const CALLER: ToolCaller = { userId: 1, sessionId: 's1' }
export const OTHER_CALLER: ToolCaller = { userId: 9, sessionId: 's9' }

export interface RecordedCall {
  readonly tool: string
  readonly args: unknown
  readonly effects: readonly ToolEffect[]
}

export interface AssistantWorld {
  readonly trading: TradingWorld
  readonly toolbox: Toolbox
  readonly tools: readonly AnyTool[]
  readonly names: TokenNames
  readonly calls: RecordedCall[]
  away: boolean
  isShared: boolean
  dollarSymbol: string
  ask(messages: readonly Message[], caller?: ToolCaller): Promise<readonly string[]>
}

export function createAssistantWorld(): AssistantWorld {
  const trading = createTradingWorld()
  const state = { away: false, isShared: false, dollarSymbol: 'testUSD' }
  const unlessAway = async <T>(value: () => T | Promise<T>): Promise<T> => {
    if (state.away) throw new SourceError(LABEL, 'unreachable', 'no connection')
    return value()
  }
  const chains: Chains = chainsOf([fakeChain(trading, state, unlessAway)])
  const names = createTokenNames(chains, trading.clock)
  const quotes = {
    reference: (...args: Parameters<typeof trading.quotes.reference>) => unlessAway(() => trading.quotes.reference(...args)),
    executable: (...args: Parameters<typeof trading.quotes.executable>) => unlessAway(() => trading.quotes.executable(...args)),
  }
  const tools = createTools({
    chains,
    names,
    pyth: null,
    readBitcoinBlock: null,
    defidata: createDefidata([createChainDefidata(chains)]),
    trading: {
      quotes,
      risk: createRiskAssessor(CHAIN, { market: trading.market, quotes: trading.quoteStore, clock: trading.clock }),
      quoteStore: trading.quoteStore,
      execution: trading.executor,
      wallets: {
        list: async (userId) => {
          const wallet = WALLETS[userId - 1]
          return wallet === undefined ? [] : [{ walletRef: 'main', address: wallet.address, chainId: CHAIN, shared: state.isShared }]
        },
      },
    },
    positions: { list: async (userId) => (userId === CALLER.userId ? [POSITION] : []) },
    metrics: {
      volume: async () => ({ total: 1_250.5, byAgent: [{ key: 'scout', value: 1_250.5 }] }),
      realized: async () => ({ total: 12.25, byAgent: [{ key: 'scout', value: 12.25 }] }),
      unrealized: async () => ({ total: -3.5, byAgent: [{ key: 'scout', value: -3.5 }] }),
      tvl: async () => ({ total: 0, byAgent: [] }),
    },
    readDepositStatus: (hash) => unlessAway(() => depositStatus(hash)),
    research: null,
  })
  const calls: RecordedCall[] = []
  const inner = createToolbox(tools)
  const toolbox: Toolbox = {
    list: (selection) => inner.list(selection),
    call(name, args, context, effects) {
      calls.push({ tool: name, args, effects })
      return inner.call(name, args, context, effects)
    },
  }
  const agent = createAssistant({ toolbox, names, clock: trading.clock })
  return Object.assign(state, {
    trading,
    toolbox,
    tools,
    names,
    calls,
    async ask(messages: readonly Message[], caller = CALLER) {
      const { signal } = new AbortController()
      return fragmentsOf(agent.answer({ caller, messages, signal }))
    },
  })
}

export async function fragmentsOf(answer: AsyncIterable<string>): Promise<readonly string[]> {
  const fragments: string[] = []
  for await (const fragment of answer) fragments.push(fragment)
  return fragments
}

export const MINED = toHash(`0x${'a1'.repeat(32)}`)
export const REVERTED = toHash(`0x${'a2'.repeat(32)}`)
export const WAITING = toHash(`0x${'a3'.repeat(32)}`)
const mined = (success: boolean) => ({ success, blockNumber: 5, timestampSec: START_MS / 1000, confirmations: 3, gasUsed: 21_000n })
const TRANSACTIONS = new Map([
  [MINED, { from: HOLDER, to: HOLDER, mined: mined(true) }],
  [REVERTED, { from: HOLDER, to: HOLDER, mined: mined(false) }],
  [WAITING, { from: HOLDER, to: HOLDER, mined: null }],
])
const CONTRACTS = { TestDollar: 'testUSD', TestBitcoin: 'BTC' }
const BLOCK_HASH = `0x${'11'.repeat(32)}` as Hash

function fakeChain(
  { market }: TradingWorld,
  state: { readonly dollarSymbol: string },
  unlessAway: <T>(value: () => T | Promise<T>) => Promise<T>,
): ChainReader {
  const feed = (address: string, base: string) => ({ address, base, quote: 'USD' })
  const config = ChainConfigSchema.parse({
    id: CHAIN,
    name: 'keelson-devnet',
    aliases: ['devnet', 'evm'],
    rpcUrl: 'http://127.0.0.1:1',
    native: { symbol: 'NTV' },
    wrappedNative: WRAPPED,
    nativePriceAs: 'NATIVE',
    symbols: { ETH: 'NATIVE', NTV: 'NATIVE', testBTC: 'BTC', ...CONTRACTS },
    tokens: [
      { address: DOLLAR, priceAs: 'testUSD', names: ['TestDollar'] },
      { address: BITCOIN, priceAs: 'BTC', names: ['TestBitcoin'] },
    ],
    feeds: [feed(FEED.native, 'NATIVE'), feed(FEED.bitcoin, 'BTC'), feed(FEED.dollar, 'testUSD')],
    exchange: { factory: ROUTER, router: ROUTER },
  })
  const timestampSec = START_MS / 1000
  const blockAt = (number: number) => ({
    number,
    hash: BLOCK_HASH,
    parentHash: BLOCK_HASH,
    timestampSec,
    transactions: 3,
    gasUsed: 21_000n,
    gasLimit: 30_000_000n,
    baseFeeWei: 1_000n,
  })
  const block = blockAt(7)
  const listed = () => [
    { address: DOLLAR, symbol: state.dollarSymbol, decimals: 6, known: true },
    { address: BITCOIN, symbol: 'testBTC', decimals: 8, known: true },
  ]
  const usd = (token: typeof DOLLAR) => {
    const price = market.usd.get(token)
    return price === undefined ? null : new Decimal(price)
  }
  const tokenOfFeed = [NATIVE_ADDRESS, BITCOIN, DOLLAR]
  const unasked = async () => {
    throw new Error('this test asks no such thing of the chain')
  }
  return {
    config,
    label: LABEL,
    swaps: unasked,
    baseFees: unasked,
    hasCode: unasked,
    senders: unasked,
    quote: unasked,
    ofBlock: unasked,
    poolToken: (address) => address,
    close: () => undefined,
    latest: () => unlessAway(() => block),
    block: (at) => unlessAway(() => (typeof at === 'number' && at > block.number ? null : blockAt(typeof at === 'number' ? at : 7))),
    transaction: (hash) => unlessAway(() => TRANSACTIONS.get(hash) ?? null),
    gasPriceWei: () => unlessAway(() => 1_500_000n),
    token: (address) =>
      unlessAway(() =>
        address === NATIVE_ADDRESS
          ? { address, ...config.native, known: true }
          : (listed().find((token) => token.address === address) ?? null),
      ),
    knownTokens: () => unlessAway(listed),
    pools: () => unlessAway(() => []),
    balances: () =>
      unlessAway(() => ({ block, nativeWei: 2n * 10n ** 18n, tokens: listed().map((token) => ({ token, amount: 10_000_000n })) })),
    usdPrices: () => unlessAway(() => ({ native: usd(NATIVE_ADDRESS), of: usd, failures: [] })),
    price: (pair) =>
      unlessAway(() => {
        const meant = { base: canonicalSymbol(config, pair.base), quote: canonicalSymbol(config, pair.quote) }
        const legs = findLegs(config.feeds, meant)
        if (legs === null) return null
        const readings = legs.map(({ index }) => {
          const { address, base, quote } = config.feeds[index] as (typeof config.feeds)[number]
          const price = usd(tokenOfFeed[index] as typeof DOLLAR) ?? new Decimal(1)
          return {
            address,
            description: `${base} / ${quote}`,
            base,
            quote,
            roundId: 3n,
            price,
            updatedAtSec: timestampSec - 12,
            ageSec: 12,
          }
        })
        const price = priceThrough(
          legs,
          readings.map((reading) => reading.price),
        )
        return { ...pair, price, method: methodOf(legs), readings, block }
      }),
  }
}

function depositStatus(hash: Hash) {
  if (hash !== DEPOSIT) return problem('not-found', `the bridge knows no transaction ${hash} of L1`)
  return succeeded({
    state: 'relaying',
    l1_tx_hash: hash,
    l1_status: 'included',
    l1_block_number: 41,
    l1_confirmations: 3,
    l2_tx_hash: null,
    l2_block_number: null,
    estimated_completion_time: '2026-06-01T00:01:00.000Z',
    reason: null,
    next_action: 'wait',
    as_of: '2026-06-01T00:00:00.000Z',
    stale: null,
    source: 'bridge (127.0.0.1)',
  })
}

const POSITION = {
  id: 1,
  agent: 'scout',
  wallet_address: HOLDER,
  chain_id: CHAIN,
  token_address: BITCOIN,
  token_symbol: 'testBTC',
  quantity: 0.5,
  cost_basis_usd_per_unit: 90_000,
  realized_pnl_usd: 12.25,
  last_price_usd: 100_000,
  market_value_usd: 50_000,
  unrealized_pnl_usd: 5_000,
  updated_at: '2026-06-01T00:00:00.000Z',
}
