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
  readonly source: string
}

export interface DexRoute {
  readonly venue: string
  readonly router: Address
  /** Contains the wrapped token in place of the native currency. */
  readonly path: readonly Address[]
  readonly amountOut: bigint
  /** Excludes fees. */
  readonly priceImpactBps: number
  readonly swapFeeBps: number
}

export interface TokenFacts {
  readonly hasCode: boolean
  readonly listed: boolean
  /** Value of the deepest pool's sides that have a price. */
  readonly liquidityUsd: Decimal | null
}

export interface LargestFlow {
  /** Largest share of the pools' reserves that one account moved. */
  readonly shareBps: number
  readonly windowSec: number
}

export interface GasState {
  readonly baseFeeWei: bigint
  readonly medianBaseFeeWei: bigint
}

/** Methods throw SourceError. */
export interface TradingMarket {
  readonly chainIds: readonly number[]
  token(chainId: number, address: Address): Promise<TokenInfo | null>
  price(chainId: number, token: Address): Promise<TokenPrice | null>
  bestRoute(chainId: number, tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<DexRoute | null>
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
  wallet(userId: number, walletRef: string, chainId: number): Promise<TradingWallet | null>
}
