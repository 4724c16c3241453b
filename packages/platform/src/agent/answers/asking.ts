/** What an answer is made with: the question, the tools by name, and the words for a tool that gave nothing. */

import type { AddressValidation, DecodedTx } from '../../schemas/bitcoin.ts'
import type { PoolsResult, TokenPriceResult, TvlResult } from '../../schemas/defidata.ts'
import type { BitcoinBlockResult } from '../../tools/bitcoin-tools.ts'
import type { BlockResult, ChainResult, GasResult, TokenResult } from '../../tools/chain-tools.ts'
import type { ExecutionToolResult, WalletsResult } from '../../tools/execution-tools.ts'
import type { OraclePriceResult } from '../../tools/oracle-tools.ts'
import type { PortfolioMetricsResult, PositionsResult } from '../../tools/portfolio-tools.ts'
import type { DepositStatus } from '../../tools/ports.ts'
import type { QuoteResult, RiskResult } from '../../tools/quote-tools.ts'
import type { ResearchResult } from '../../tools/research-tools.ts'
import type { ChainNames } from '../../tools/token-names.ts'
import type { ToolCallResult } from '../../tools/toolbox.ts'
import type { WalletBalanceResult } from '../../tools/wallet-tools.ts'
import type { Question } from '../question.ts'

interface Sourced {
  readonly source: string
}

/** The tools that the assistant calls. None of them moves money, and it is offered none that does. */
export interface ToolResults {
  readonly oracle_price: OraclePriceResult
  readonly token_price: TokenPriceResult
  readonly block_latest: BlockResult
  readonly block_by_number: BlockResult
  readonly block_by_hash: BlockResult
  readonly gas_price: GasResult
  readonly chains_list: Sourced & { readonly chains: readonly ChainResult[] }
  readonly tokens_list: Sourced & { readonly chain: string; readonly tokens: readonly TokenResult[] }
  readonly token_info: Sourced & TokenResult & { readonly chain: string }
  readonly wallet_balance: WalletBalanceResult
  readonly quote_swap: QuoteResult
  readonly quote_reference: QuoteResult
  readonly risk_assess: RiskResult
  readonly token_risk: RiskResult
  readonly swap_simulate: ExecutionToolResult
  readonly wallets_list: WalletsResult
  readonly positions: PositionsResult
  readonly portfolio_metrics: PortfolioMetricsResult
  readonly deposit_status: DepositStatus
  readonly bitcoin_latest_block: BitcoinBlockResult
  readonly bitcoin_decode_tx: DecodedTx & Sourced
  readonly bitcoin_validate_address: AddressValidation & Sourced
  readonly tvl_get: TvlResult
  readonly pools_list: PoolsResult
  readonly research_run: ResearchResult
}

export type ToolFailure = Extract<ToolCallResult, { readonly ok: false }>
export type Called<T> = { readonly ok: true; readonly value: T } | ToolFailure

export interface Asking {
  readonly question: Question
  readonly chains: readonly ChainNames[]
  readonly nowMs: number
  /** Arguments that are undefined are left out. */
  call<N extends keyof ToolResults>(name: N, args: Readonly<Record<string, unknown>>): Promise<Called<ToolResults[N]>>
}

/** Lines of an answer; tools are called between them. */
export type Answer = AsyncGenerator<string, void, void>

const MAX_DETAIL = 400

/** Why there is no figure. */
export function failureLine(failure: ToolFailure): string {
  const { reason, detail } = failure
  if (reason === 'unavailable') return `I cannot say now, because a source is away: ${ended(detail)} Ask again in a while.`
  if (reason === 'not-configured') return `That is not set up here: ${ended(detail)}`
  return sentence(detail)
}

export function sentence(text: string, maxLength = MAX_DETAIL): string {
  return ended(text.charAt(0).toUpperCase() + text.slice(1), maxLength)
}

function ended(text: string, maxLength = MAX_DETAIL): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return /[.!?…]$/.test(short) ? short : `${short}.`
}

export function sourceLine({ source }: Sourced): string {
  return `Source: ${source}.`
}

/** An address or a symbol as it is shown; what a user wrote comes back short. */
export function shortName(token: string): string {
  return token.length > 42 ? `${token.slice(0, 42)}…` : token
}

/** The chain that is meant when none is named. */
export function chainNamed({ question, chains }: Pick<Asking, 'question' | 'chains'>): ChainNames | null {
  const { chain } = question.entities
  return (chain === null ? chains[0] : chains.find(({ names }) => names.includes(chain))) ?? null
}
