/** What the portfolio asks of others. */
import type { Decimal } from '../market/decimal.ts'
import type { ToolOutcome } from '../market/tool-outcome.ts'

export interface MarkPrices {
  readonly chainId: number
  /** The chain's own name. */
  readonly chain: string
  /** Dollars a whole token; null for one without a price now. */
  of(tokenAddress: string): Decimal | null
}

export interface MarkPriceSource {
  /** By name or id. Throws SourceError when the chain cannot be asked. */
  prices(chain: string): Promise<ToolOutcome<MarkPrices>>
}

export interface ChainTvl {
  readonly chain: string
  /** Decimal text. */
  readonly tvl_usd: string
  readonly complete: boolean
  readonly as_of: string | null
  readonly source: string
}

export interface ChainTvlSource {
  /** Of the chain meant when none is named. Throws SourceError. */
  tvl(question: { readonly chain?: string | undefined }, signal?: AbortSignal): Promise<ToolOutcome<ChainTvl>>
}
