/** What trading needs from the rest of the platform. */
import type { Signer } from '@keelson/client'
import type { Address } from '@keelson/primitives'
import type { Decimal } from '../market/decimal.ts'

export interface TokenInfo {
  readonly address: Address
  readonly symbol: string
  readonly decimals: number
}

export interface TokenPrice {
  readonly usd: Decimal
  /** The source of the price, such as `feed 0x...`. */
  readonly source: string
}

export interface DexRoute {
  readonly venue: string
  readonly router: Address
  /** Tokens from first to last; the wrapped currency stands for the native one. */
  readonly path: readonly Address[]
  readonly amountOut: bigint
  /** Against the pools' price before the swap, without fees. */
  readonly priceImpactBps: number
  /** Total of all hops. */
  readonly swapFeeBps: number
}

export interface TokenFacts {
  readonly hasCode: boolean
  /** Whether the operator lists the token. */
  readonly listed: boolean
  /** US dollars on both sides of the token's deepest pool; null when none can be valued. */
  readonly liquidityUsd: Decimal | null
}

export interface LargestFlow {
  /** The largest movement of one account in the window, in or out, as a share of the pools. */
  readonly shareBps: number
  readonly windowSec: number
}

export interface GasState {
  readonly baseFeeWei: bigint
  /** Median over recent blocks. */
  readonly medianBaseFeeWei: bigint
}

/** What trading reads from the configured chains. Methods return null for what a chain does not have, and throw SourceError. */
export interface TradingMarket {
  readonly chainIds: readonly number[]
  /** The native currency is NATIVE_ADDRESS. */
  token(chainId: number, address: Address): Promise<TokenInfo | null>
  /** US dollars for one whole token; null without a fresh feed. */
  price(chainId: number, token: Address): Promise<TokenPrice | null>
  /** The best route of the exchange. */
  bestRoute(chainId: number, tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<DexRoute | null>
  /** Whole tokens out for one whole token in at the pools' price, without fees and impact. */
  spotPrice(chainId: number, tokenIn: Address, tokenOut: Address): Promise<Decimal | null>
  facts(chainId: number, token: Address): Promise<TokenFacts | null>
  largestFlow(chainId: number, token: Address): Promise<LargestFlow | null>
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
