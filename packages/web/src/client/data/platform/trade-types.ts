/** What the platform answers about trades. */
export interface Quote {
  readonly route: readonly string[]
  readonly expected_out: string
  readonly price_impact_bps: number
  readonly slippage_bps: number
  readonly fees: Readonly<Record<string, string | number | null>>
  readonly gas_estimate: string | null
  readonly venue: string
  readonly quote_id: string
  readonly expires_at: string
}

export interface RiskReport {
  readonly level: 'low' | 'medium' | 'high' | 'unknown'
  readonly aggregate_score: number | null
  readonly checks: readonly { readonly name: string; readonly result: string; readonly details: { readonly summary: string } }[]
  readonly flags: readonly string[]
}

export interface EvmInput {
  readonly chain_id: number
  readonly token_in_address: string
  readonly token_out_address: string
  readonly amount_in: string
}

export interface ChainJson {
  readonly chain_id: number
  readonly name: string
  readonly other_names: readonly string[]
  readonly tokens: readonly { readonly address: string; readonly symbol: string }[] | null
}

export interface WalletJson {
  readonly wallet_ref: string
  readonly chain_id: number
  readonly address: string
  readonly shared: boolean
  readonly limits: {
    readonly enabled: boolean
    readonly max_trade_usd: string
    readonly max_daily_usd: string
    readonly max_slippage_bps: number
    readonly max_loss_bps: number
    readonly tokens: readonly string[]
  }
}

/** A swap that a message asks for. */
export interface Wish {
  readonly text: string
  readonly symbolIn: string
  readonly symbolOut: string
  readonly input: EvmInput
  readonly chainName: string
}

export interface Offer {
  readonly summary: string
  readonly quote: Quote
  readonly risk: RiskReport
  readonly wallet: WalletJson | null
}

export interface TradeResult {
  readonly status: 'pending' | 'success' | 'failed'
  readonly message: string
  readonly tx_hash?: string
}

/** Oracle prices, which no trade can be made at. */
export const REFERENCE_VENUE = 'oracle_reference'
