import { toHash } from '@keelson/primitives'
import { z } from 'zod'
import { decodeBitcoinTx } from '../market/bitcoin/decode-tx.ts'
import { latestBlock, type ReadBitcoinBlock } from '../market/bitcoin/latest-block.ts'
import { validateBitcoinAddress } from '../market/bitcoin/validate-address.ts'
import type { ReadDepositStatus } from '../market/bridge/deposit-status.ts'
import { type Chains, onChain } from '../market/chain/chains.ts'
import { walletBalance } from '../market/chain/wallet-balance.ts'
import type { Defidata } from '../market/defidata/defidata.ts'
import { oraclePrice } from '../market/oracle/oracle-price.ts'
import type { Pyth } from '../market/oracle/pyth.ts'
import { problem, succeeded, type ToolOutcome } from '../market/tool-outcome.ts'
import type { Research } from '../research/research.ts'
import { DecodeTxRequest, ValidateAddressRequest } from '../schemas/bitcoin.ts'
import { PoolsArguments, TokenPriceArguments, TvlArguments } from '../schemas/defidata.ts'
import type { OraclePrice } from '../schemas/oracle.ts'
import { ResearchRequest, type ResearchResponse } from '../schemas/research.ts'
import { WalletBalanceRequest } from '../schemas/wallet.ts'
import { ChainArgument, chainSource } from './chain-tools.ts'
import { type AnyTool, publicTool, sessionTool } from './tool.ts'

export interface MarketToolDependencies {
  readonly chains: Chains | null
  readonly pyth: Pyth | null
  readonly readBitcoinBlock: ReadBitcoinBlock | null
  readonly defidata: Defidata
  readonly readDepositStatus: ReadDepositStatus | null
  readonly research: Pick<Research, 'run'> | null
}

export interface OraclePriceResult extends Omit<OraclePrice, 'source'> {
  readonly kind: OraclePrice['source']
  readonly source: string
}

const COMPUTED_FROM_INPUT = "computed from the input by bitcoin's rules"

export function createMarketTools(deps: MarketToolDependencies): readonly AnyTool[] {
  const { chains, pyth, readBitcoinBlock, defidata, readDepositStatus, research } = deps
  return [
    publicTool({
      name: 'oracle_price',
      title: 'Oracle price',
      description:
        'The price of a pair such as ETH/USD, from the price feeds of a chain, else from Pyth where it is configured. Says which feed, which round and how old.',
      input: z.strictObject({ pair: z.string().min(3).max(64).describe('BASE/QUOTE'), chain: ChainArgument }),
      call: ({ pair, chain }, { signal }) =>
        onChain(chains, chain, async (reader): Promise<ToolOutcome<OraclePriceResult>> => {
          const outcome = await oraclePrice(reader, pair, pyth, signal)
          if (!outcome.ok) return outcome
          const { source: kind, ...price } = outcome.value
          return succeeded({ ...price, kind, source: feedsOf(outcome.value) })
        }),
    }),
    publicTool({
      name: 'wallet_balance',
      title: 'Balance',
      description:
        'What an address holds on a chain: native currency and configured tokens, with their value by price feeds (null without one).',
      input: WalletBalanceRequest,
      call: ({ address, chain }) =>
        onChain(chains, chain, async (reader) => {
          const { block_number, ...balance } = await walletBalance(reader, address)
          const { name, native } = reader.config
          return succeeded({ ...balance, chain: name, native_symbol: native.symbol, source: chainSource(reader.config, block_number) })
        }),
    }),
    publicTool({
      name: 'deposit_status',
      title: 'Deposit status',
      description: 'Progress of a deposit from L1 to the rollup, by the hash of its L1 transaction. From the status service of the bridge.',
      input: z.strictObject({
        tx_hash: z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected the hash of an L1 transaction: 0x and 64 hex digits'),
      }),
      call: async ({ tx_hash }, { signal }) =>
        readDepositStatus === null
          ? problem('not-configured', 'no status service of the bridge is configured: the operator names one by --bridge.url')
          : readDepositStatus(toHash(tx_hash.toLowerCase()), signal),
    }),
    publicTool({
      name: 'bitcoin_latest_block',
      title: 'Newest bitcoin block',
      description: 'The newest block of the bitcoin chain: height, hash, time, size.',
      input: z.strictObject({}),
      call: (_, { signal }) => latestBlock(readBitcoinBlock, signal),
    }),
    publicTool({
      name: 'bitcoin_decode_tx',
      title: 'Bitcoin transaction',
      description: 'Takes a serialized bitcoin transaction apart: inputs, outputs, scripts, addresses, ids.',
      input: DecodeTxRequest.strict(),
      async call(args) {
        const outcome = decodeBitcoinTx(args)
        return outcome.ok ? succeeded({ ...outcome.value, source: COMPUTED_FROM_INPUT }) : outcome
      },
    }),
    publicTool({
      name: 'bitcoin_validate_address',
      title: 'Bitcoin address',
      description: 'Says whether a bitcoin address is valid, of which kind and network.',
      input: ValidateAddressRequest.strict(),
      call: async (args) => succeeded({ ...validateBitcoinAddress(args), source: COMPUTED_FROM_INPUT }),
    }),
    publicTool({
      name: 'tvl_get',
      title: 'Value locked',
      description: 'Value locked on a chain or in a protocol, in US dollars.',
      input: TvlArguments.strict(),
      call: (args, { signal }) => defidata.tvl(args, signal),
    }),
    publicTool({
      name: 'token_price',
      title: 'Token price',
      description: 'The price of a token in US dollars.',
      input: TokenPriceArguments.strict(),
      call: (args, { signal }) => defidata.tokenPrice(args, signal),
    }),
    publicTool({
      name: 'pools_list',
      title: 'Pools',
      description: 'Pools of a chain, the most valuable first.',
      input: PoolsArguments.strict(),
      call: (args, { signal }) => defidata.pools(args, signal),
    }),
    sessionTool({
      name: 'research_run',
      title: 'Research',
      description:
        'Asks a GraphQL subgraph (gql), a stored analytics query (analytics_query_id) and DeFi data tools (tvl_chain, price_symbol, pools_chain, defi_calls) at once, and sums up. errors names every source that gave nothing, and why.',
      input: ResearchRequest.strict(),
      async call(request, { signal }) {
        if (research === null) return problem('not-configured', 'research is not configured')
        const response = await research.run(request, signal)
        return succeeded({ ...response, source: answeringSources(request, response) })
      },
    }),
  ]
}

function feedsOf({ source, chain, chain_id, block_number, base, method, readings }: OraclePrice): string {
  const feeds = readings.map((feed) => `${feed.id} (${feed.description === '' ? `${feed.base}/${feed.quote}` : feed.description})`)
  if (source === 'pyth') return `Pyth, feed ${feeds.join(' and ')}`
  const [first] = readings
  const isOther = first !== undefined && method !== 'inverse' && first.base.toLowerCase() !== base.toLowerCase()
  const alias = isOther ? `, where ${base} is called ${first.base},` : ''
  return `feed ${feeds.join(' and ')}${alias} of ${chainSource({ name: chain, id: chain_id }, block_number ?? undefined)}`
}

function answeringSources({ subgraph }: ResearchRequest, { graph_data, analytics_state, defi_results }: ResearchResponse): string {
  const answering = [
    ...(graph_data === null ? [] : [`subgraph${subgraph ? ` ${subgraph}` : ''}`]),
    ...(analytics_state === null ? [] : ['analytics query']),
    ...new Set(defi_results.map(({ result }) => result.source)),
  ]
  return answering.length === 0 ? 'no source gave an answer' : answering.join('; ')
}
