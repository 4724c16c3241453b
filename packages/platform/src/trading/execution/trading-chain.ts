/** What an execution asks of its chain. Every method throws ClientError or SourceError when the chain cannot be asked. */
import type { FeeQuote } from '@keelson/client'
import type { Address, Hash, Hex } from '@keelson/primitives'

export interface PlannedCall {
  readonly to: Address
  readonly data: Uint8Array
  readonly valueWei: bigint
}

export interface SimulatedCall {
  readonly ok: boolean
  readonly output: Uint8Array
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
  /** Blocks on top until a receipt counts, the including one counted. */
  readonly confirmations: number
  readonly explorerUrl: string | null
  headNumber(): Promise<number>
  /** Of a block that is there. */
  timestampSec(blockNumber: number): Promise<number>
  /** Transactions of the account up to and with this block. */
  nonce(account: Address, blockNumber: number): Promise<bigint>
  balanceWei(account: Address): Promise<bigint>
  tokenBalance(token: Address, account: Address): Promise<bigint>
  allowance(token: Address, owner: Address, spender: Address): Promise<bigint>
  feeQuote(): Promise<FeeQuote>
  /** What a rollup may take for putting the transactions of these calls on its L1, beside gas; 0 where there is no such fee. */
  dataFeeWei(calls: readonly PlannedCall[]): Promise<bigint>
  /** One after the other on the newest state, nothing of which is kept. */
  simulate(from: Address, calls: readonly PlannedCall[]): Promise<readonly SimulatedCall[]>
  sendRaw(raw: Hex): Promise<void>
  /** Null for what is in no block. In the order of the hashes. */
  receipts(hashes: readonly Hash[]): Promise<readonly (TradeReceipt | null)[]>
  /** Whether any of them is known to be in a block; one whose receipt is lost may be. */
  isAnyMined(hashes: readonly Hash[]): Promise<boolean>
}
