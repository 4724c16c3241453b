/** Routes for bitcoin, oracle, DeFi data, wallet and search tools. */

import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../http/route.ts'
import { AddressValidation, BitcoinBlock, DecodedTx, DecodeTxRequest, ValidateAddressRequest } from '../schemas/bitcoin.ts'
import { DefidataInvokeRequest, DefidataResult } from '../schemas/defidata.ts'
import { OraclePrice, OraclePriceRequest } from '../schemas/oracle.ts'
import { SearchRefresh } from '../schemas/search.ts'
import { ToolList } from '../schemas/tool-list.ts'
import { WalletBalance, WalletBalanceRequest } from '../schemas/wallet.ts'
import { NO_CHAIN } from '../tools/chain-choice.ts'
import type { Bitcoin } from './bitcoin/bitcoin.ts'
import type { Chains } from './chain/chains.ts'
import { walletBalance } from './chain/wallet-balance.ts'
import type { Defidata } from './defidata/defidata.ts'
import { oraclePrice } from './oracle/oracle-price.ts'
import type { Pyth } from './oracle/pyth.ts'
import { answerTool } from './tool-answer.ts'
import { problem, type ToolOutcome } from './tool-outcome.ts'

export interface MarketRouteDependencies {
  /** Null when no chain is configured. */
  readonly chains: Chains | null
  readonly bitcoin: Bitcoin
  readonly defidata: Defidata
  readonly pyth: Pyth | null
  /** Refreshes the search index; null when none is configured. Throws SourceError. */
  readonly refreshSearch: ((signal: AbortSignal) => Promise<ToolOutcome<SearchRefresh>>) | null
}

const BASE = '/api/v1/multi-agent'
const NO_SEARCH = problem('not-configured', 'no search tool is configured: the operator names one by --search.url')

export function createMarketRoutes({ chains, bitcoin, defidata, pyth, refreshSearch }: MarketRouteDependencies): readonly AnyRoute[] {
  /** Limit for local computations. */
  const near = { auth: 'session', limit: RATE_LIMITS.read } as const
  /** Limit for requests to other systems. */
  const far = { auth: 'session', limit: RATE_LIMITS.write } as const
  return [
    defineRoute({
      ...near,
      method: 'GET',
      path: `${BASE}/bitcoin/tools`,
      tag: 'bitcoin',
      summary: 'The bitcoin tools',
      answer: ToolList,
      handle: () => bitcoin.list(),
    }),
    defineRoute({
      ...far,
      method: 'GET',
      path: `${BASE}/bitcoin/latest-block`,
      tag: 'bitcoin',
      summary: 'The newest bitcoin block',
      answer: BitcoinBlock,
      handle: ({ signal }) => answerTool(() => bitcoin.latestBlock(signal)),
    }),
    defineRoute({
      ...near,
      method: 'POST',
      path: `${BASE}/bitcoin/tx/decode`,
      tag: 'bitcoin',
      summary: 'Decodes a serialized bitcoin transaction',
      body: DecodeTxRequest,
      answer: DecodedTx,
      refusals: [400],
      handle: ({ body }) => answerTool(() => bitcoin.decodeTx(body)),
    }),
    defineRoute({
      ...near,
      method: 'POST',
      path: `${BASE}/bitcoin/address/validate`,
      tag: 'bitcoin',
      summary: 'Whether a bitcoin address is valid, and why not',
      body: ValidateAddressRequest,
      answer: AddressValidation,
      handle: ({ body }) => bitcoin.validateAddress(body),
    }),
    defineRoute({
      ...far,
      method: 'POST',
      path: `${BASE}/oracle/price`,
      tag: 'oracle',
      summary: 'The price of a pair, from price feeds',
      body: OraclePriceRequest,
      answer: OraclePrice,
      refusals: [400, 404],
      handle: ({ body, signal }) => answerTool(() => (chains === null ? NO_CHAIN : oraclePrice(body, { chains, pyth }, signal))),
    }),
    defineRoute({
      ...near,
      method: 'GET',
      path: `${BASE}/defidata/tools`,
      tag: 'defidata',
      summary: 'The DeFi data tools',
      answer: ToolList,
      handle: () => defidata.list(),
    }),
    defineRoute({
      ...far,
      method: 'POST',
      path: `${BASE}/defidata/invoke`,
      tag: 'defidata',
      summary: 'Calls a DeFi data tool by its name',
      body: DefidataInvokeRequest,
      answer: DefidataResult,
      refusals: [400, 404],
      handle: ({ body, signal }) => answerTool(() => defidata.invoke(body, signal)),
    }),
    defineRoute({
      ...far,
      method: 'POST',
      path: `${BASE}/wallet/evm/balance`,
      tag: 'wallet',
      summary: 'The balances of an address on a chain',
      body: WalletBalanceRequest,
      answer: WalletBalance,
      refusals: [404],
      handle: ({ body }) => answerTool(() => (chains === null ? NO_CHAIN : walletBalance(body, chains))),
    }),
    defineRoute({
      ...far,
      method: 'POST',
      path: `${BASE}/search/refresh`,
      tag: 'search',
      summary: 'Refreshes the search index; 503 when none is configured',
      answer: SearchRefresh,
      handle: ({ signal }) => answerTool(() => (refreshSearch === null ? NO_SEARCH : refreshSearch(signal))),
    }),
  ]
}
