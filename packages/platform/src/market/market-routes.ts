import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../http/route.ts'
import { AddressValidation, BitcoinBlock, DecodedTx, DecodeTxRequest, ValidateAddressRequest } from '../schemas/bitcoin.ts'
import { DEFIDATA_TOOLS, DefidataInvokeRequest, DefidataResult } from '../schemas/defidata.ts'
import { OraclePrice, OraclePriceRequest } from '../schemas/oracle.ts'
import { SearchRefresh } from '../schemas/search.ts'
import { describeTool, ToolList } from '../schemas/tool-list.ts'
import { WalletBalance, WalletBalanceRequest } from '../schemas/wallet.ts'
import type { AnyTool } from '../tools/tool.ts'
import { decodeBitcoinTx } from './bitcoin/decode-tx.ts'
import { latestBlock, type ReadBitcoinBlock } from './bitcoin/latest-block.ts'
import { validateBitcoinAddress } from './bitcoin/validate-address.ts'
import { type Chains, onChain } from './chain/chains.ts'
import { walletBalance } from './chain/wallet-balance.ts'
import type { Defidata } from './defidata/defidata.ts'
import { oraclePrice } from './oracle/oracle-price.ts'
import type { Pyth } from './oracle/pyth.ts'
import type { RefreshSearch } from './search/search-refresh.ts'
import { answerTool } from './tool-answer.ts'
import { problem, succeeded } from './tool-outcome.ts'

export interface MarketRouteDependencies {
  readonly tools: readonly AnyTool[]
  readonly chains: Chains | null
  readonly readBitcoinBlock: ReadBitcoinBlock | null
  readonly defidata: Defidata
  readonly pyth: Pyth | null
  readonly refreshSearch: RefreshSearch | null
}

const BASE = '/api/v1/multi-agent'
const NO_SEARCH = problem('not-configured', 'no search tool is configured: the operator names one by --search.url')
const LOCAL = { auth: 'session', limit: RATE_LIMITS.read } as const
const REMOTE = { auth: 'session', limit: RATE_LIMITS.write } as const

export function createMarketRoutes(deps: MarketRouteDependencies): readonly AnyRoute[] {
  const { chains, readBitcoinBlock, defidata, pyth, refreshSearch } = deps
  const toolList = (tag: string, summary: string, isListed: (name: string) => boolean): AnyRoute => {
    const tools = deps.tools.filter(({ name }) => isListed(name))
    const list = { tools: tools.map(({ name, description, input }) => describeTool(name, description, input)) }
    return defineRoute({ ...LOCAL, method: 'GET', path: `${BASE}/${tag}/tools`, tag, summary, answer: ToolList, handle: () => list })
  }
  return [
    toolList('bitcoin', 'The bitcoin tools', (name) => name.startsWith('bitcoin_')),
    defineRoute({
      ...REMOTE,
      method: 'GET',
      path: `${BASE}/bitcoin/latest-block`,
      tag: 'bitcoin',
      summary: 'The newest bitcoin block',
      answer: BitcoinBlock,
      handle: ({ signal }) => answerTool(() => latestBlock(readBitcoinBlock, signal)),
    }),
    defineRoute({
      ...LOCAL,
      method: 'POST',
      path: `${BASE}/bitcoin/tx/decode`,
      tag: 'bitcoin',
      summary: 'Decodes a serialized bitcoin transaction',
      body: DecodeTxRequest,
      answer: DecodedTx,
      refusals: [400],
      handle: ({ body }) => answerTool(() => decodeBitcoinTx(body)),
    }),
    defineRoute({
      ...LOCAL,
      method: 'POST',
      path: `${BASE}/bitcoin/address/validate`,
      tag: 'bitcoin',
      summary: 'Whether a bitcoin address is valid, and why not',
      body: ValidateAddressRequest,
      answer: AddressValidation,
      handle: ({ body }) => validateBitcoinAddress(body),
    }),
    defineRoute({
      ...REMOTE,
      method: 'POST',
      path: `${BASE}/oracle/price`,
      tag: 'oracle',
      summary: 'The price of a pair, from price feeds',
      body: OraclePriceRequest,
      answer: OraclePrice,
      refusals: [400, 404],
      handle: ({ body, signal }) => answerTool(() => onChain(chains, body.chain, (chain) => oraclePrice(chain, body.pair, pyth, signal))),
    }),
    toolList('defidata', 'The DeFi data tools', (name) => DEFIDATA_TOOLS.some((tool) => tool === name)),
    defineRoute({
      ...REMOTE,
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
      ...REMOTE,
      method: 'POST',
      path: `${BASE}/wallet/evm/balance`,
      tag: 'wallet',
      summary: 'The balances of an address on a chain',
      body: WalletBalanceRequest,
      answer: WalletBalance,
      refusals: [404],
      handle: ({ body: { chain: name, address } }) =>
        answerTool(() => onChain(chains, name, async (chain) => succeeded(await walletBalance(chain, address)))),
    }),
    defineRoute({
      ...REMOTE,
      method: 'POST',
      path: `${BASE}/search/refresh`,
      tag: 'search',
      summary: 'Refreshes the search index; 503 when none is configured',
      answer: SearchRefresh,
      handle: ({ signal }) => answerTool(() => (refreshSearch === null ? NO_SEARCH : refreshSearch(signal))),
    }),
  ]
}
