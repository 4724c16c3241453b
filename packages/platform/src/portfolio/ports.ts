/** Ports of the portfolio. */
import type { Decimal } from '../market/decimal.ts'
import type { ToolOutcome } from '../market/tool-outcome.ts'

export interface MarkPrices {
  readonly chainId: number
  /** The chain's name. */
  readonly chain: string
  /** US dollars per whole token; null without a current price. */
  of(tokenAddress: string): Decimal | null
}

export interface MarkPriceSource {
  /** Finds a chain by name or id. Throws SourceError. */
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
  /** Reads the default chain. Throws SourceError. */
  tvl(question: { readonly chain?: string | undefined }, signal?: AbortSignal): Promise<ToolOutcome<ChainTvl>>
}
