/**
 * What trading asks of the world: prices, tokens, pools, the state of the market, wallets. Each port holds what is
 * called and no more; who implements it throws when the source cannot be asked, and answers null when it knows nothing.
 */
import type { Signer } from '@keelson/client'
import type { Address } from '@keelson/primitives'
import type { Decimal } from '../market/decimal.ts'

export interface TokenInfo {
  readonly address: Address
  readonly symbol: string
  readonly decimals: number
}

export interface TokenCatalog {
  /** The native coin is asked for as NATIVE_ADDRESS. */
  token(chainId: number, address: Address): Promise<TokenInfo | null>
}

export interface TokenPrice {
  readonly usd: Decimal
  /** Who says so: `feed 0x...`. */
  readonly source: string
}

export interface PriceSource {
  /** US dollars for one whole token; null when there is no feed or it went stale. */
  price(chainId: number, token: Address): Promise<TokenPrice | null>
}

export interface DexRoute {
  readonly venue: string
  readonly router: Address
  /** Tokens of the pools, first to last; the wrapped coin stands for the native one. */
  readonly path: readonly Address[]
  readonly amountOut: bigint
  /** Against the pools' own price before the swap, fees not counted. */
  readonly priceImpactBps: number
  /** Of all hops together. */
  readonly swapFeeBps: number
}

export interface DexQuoter {
  /** The best route; null when the venue has none. */
  bestRoute(chainId: number, tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<DexRoute | null>
  /** Whole tokens out for one whole token in, at the pools' price, without fees and impact; null when there is no pool. */
  spotPrice(chainId: number, tokenIn: Address, tokenOut: Address): Promise<Decimal | null>
}

export interface TokenFacts {
  readonly hasCode: boolean
  /** In the operator's list of known tokens. */
  readonly listed: boolean
  /** US dollars in the token's deepest pool, both sides; null when it has none that can be valued. */
  readonly liquidityUsd: Decimal | null
}

export interface TokenFactSource {
  facts(chainId: number, token: Address): Promise<TokenFacts | null>
}

export interface LargestFlow {
  /** The largest movement of one account in the window, in or out, of what the pools hold. */
  readonly shareBps: number
  readonly windowSec: number
}

export interface FlowSource {
  /** Null when the window cannot be seen. */
  largestFlow(chainId: number, token: Address): Promise<LargestFlow | null>
}

export interface GasState {
  readonly baseFeeWei: bigint
  /** Of the recent blocks. */
  readonly medianBaseFeeWei: bigint
}

export interface GasSource {
  gas(chainId: number): Promise<GasState | null>
}

export interface TradingWallet {
  readonly address: Address
  readonly signer: Signer
}

export interface WalletLookup {
  /** Null when the operator gave this user no such wallet on this chain. */
  wallet(userId: number, walletRef: string, chainId: number): Promise<TradingWallet | null>
}
