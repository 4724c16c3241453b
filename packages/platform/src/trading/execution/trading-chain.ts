/** Port to the chain of an execution. Every method throws ClientError or SourceError when the chain does not respond. */
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
  /** Why it would revert; null when it would not. */
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
  /** Blocks until a receipt is final, including its own. */
  readonly confirmations: number
  readonly explorerUrl: string | null
  headNumber(): Promise<number>
  /** Expects an existing block. */
  timestampSec(blockNumber: number): Promise<number>
  /** Nonce of the account after this block. */
  nonce(account: Address, blockNumber: number): Promise<bigint>
  balanceWei(account: Address): Promise<bigint>
  tokenBalance(token: Address, account: Address): Promise<bigint>
  allowance(token: Address, owner: Address, spender: Address): Promise<bigint>
  feeQuote(): Promise<FeeQuote>
  /** Upper bound of the rollup's L1 data fee for these calls, in wei; 0 where there is none. */
  dataFeeWei(calls: readonly PlannedCall[]): Promise<bigint>
  /** Runs the calls in order on the newest state, without keeping changes. */
  simulate(from: Address, calls: readonly PlannedCall[]): Promise<readonly SimulatedCall[]>
  sendRaw(raw: Hex): Promise<void>
  /** In the order of the hashes; null for transactions in no block. */
  receipts(hashes: readonly Hash[]): Promise<readonly (TradeReceipt | null)[]>
  /** True if any of them is known to be in a block, also without a receipt. */
  isAnyMined(hashes: readonly Hash[]): Promise<boolean>
}
