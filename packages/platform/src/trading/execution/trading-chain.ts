/** Methods throw ClientError or SourceError. */
import type { FeeQuote } from '@keelson/client'
import type { Address, Hash, Hex } from '@keelson/primitives'

export interface PlannedCall {
  readonly to: Address
  readonly data: Hex
  readonly valueWei: bigint
}

export interface SimulatedCall {
  readonly ok: boolean
  readonly output: Hex
  readonly gasUsed: bigint
  readonly reason: string | null
}

export interface TradeLog {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
}

export interface TradeReceipt {
  readonly hash: Hash
  readonly blockNumber: number
  readonly succeeded: boolean
  readonly feeWei: bigint
  readonly logs: readonly TradeLog[]
}

export interface TradingChain {
  readonly chainId: number
  readonly wrappedNative: Address
  /** Includes the receipt's own block. */
  readonly confirmations: number
  readonly explorerUrl: string | null
  headNumber(): Promise<number>
  timestampSec(blockNumber: number): Promise<number>
  nonce(account: Address, blockNumber: number): Promise<bigint>
  balanceWei(account: Address): Promise<bigint>
  tokenBalance(token: Address, account: Address): Promise<bigint>
  allowance(token: Address, owner: Address, spender: Address): Promise<bigint>
  feeQuote(): Promise<FeeQuote>
  /** Upper bound of the L1 data fee. */
  dataFeeWei(calls: readonly PlannedCall[]): Promise<bigint>
  /** Runs in order on the newest state. */
  simulate(from: Address, calls: readonly PlannedCall[]): Promise<readonly SimulatedCall[]>
  sendRaw(raw: Hex): Promise<void>
  receipts(hashes: readonly Hash[]): Promise<readonly (TradeReceipt | null)[]>
  /** Also finds transactions without a receipt. */
  isAnyMined(hashes: readonly Hash[]): Promise<boolean>
}
