/** A source of DeFi data: the chain itself, or an API compatible with DefiLlama's. */
import type { PoolsResult, TokenPriceResult, TvlResult } from '../../schemas/defidata.ts'
import type { ToolOutcome } from '../tool-outcome.ts'

export interface TvlQuestion {
  readonly chain?: string | undefined
  readonly protocol?: string | undefined
}
export interface TokenPriceQuestion {
  readonly symbol: string
  readonly chain?: string | undefined
}
export interface PoolsQuestion {
  readonly chain?: string | undefined
  readonly limit: number
}

/** All methods throw SourceError. */
export interface DefidataSource {
  /** Whether this source covers the chain; undefined means the default chain. */
  knows(chain: string | undefined): boolean
  tvl(question: TvlQuestion, signal?: AbortSignal): Promise<ToolOutcome<TvlResult>>
  tokenPrice(question: TokenPriceQuestion, signal?: AbortSignal): Promise<ToolOutcome<TokenPriceResult>>
  pools(question: PoolsQuestion, signal?: AbortSignal): Promise<ToolOutcome<PoolsResult>>
}
