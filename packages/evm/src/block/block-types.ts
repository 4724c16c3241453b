import type { BlockRules, BlockTransition } from '@keelson/chainspec'
import type { Address, Bytes20, Crypto, Hash, Header, Receipt, StateDiff, Transaction, Withdrawal } from '@keelson/primitives'
import type { L1FeeDetails } from '../fees/l1-fee-details.ts'
import type { BlockSession, EvmEngine, SessionOptions, StateView } from '../ports.ts'
import type { BlockOnlyRejection, RejectedTx, TxRejection } from '../tx/rejection.ts'
import type { Ommer } from './rewards.ts'

export type HeaderSkeleton = Pick<
  Header,
  | 'parentHash'
  | 'number'
  | 'timestampSec'
  | 'gasLimit'
  | 'baseFeeWei'
  | 'feeRecipient'
  | 'mixHash'
  | 'difficulty'
  | 'parentBeaconBlockRoot'
  | 'excessBlobGas'
>

export interface OpenBlockOptions {
  readonly engine: EvmEngine
  readonly view: StateView
  readonly header: HeaderSkeleton
  readonly rules: BlockRules
  readonly transition: BlockTransition | null
  readonly chainId: bigint
  readonly crypto: Crypto
  readonly blockHash: (number: number) => Hash | null
  readonly withdrawals?: readonly Withdrawal[] | null
  readonly ommers?: readonly Ommer[]
  readonly movesDaoBalances?: boolean
  readonly depositContract?: Address
  readonly rootOf?: (diff: StateDiff) => Hash
  readonly session?: SessionOptions
  /**
   * The block's transactions that are known before it executes. A post-execution transaction changes the gas of the transactions
   * before it, so it must be in this list; otherwise it is rejected.
   */
  readonly transactions?: readonly Transaction[]
}

export interface IncludedTx {
  readonly kind: 'included'
  readonly receipt: Receipt
  /** Canonical gas: what the code used, less the block's refund. specs: protocol/lagoon/sdm.md#canonical-gas */
  readonly gasUsed: bigint
  readonly effectiveGasPriceWei: bigint
  readonly tipWei: bigint
  readonly contractAddress: Bytes20 | null
  readonly l1Fee: L1FeeDetails | null
  readonly blobGasUsed: bigint
  readonly output: Uint8Array
  readonly error: string | null
}

export type TxResult = IncludedTx | RejectedTx<TxRejection | BlockOnlyRejection>

export interface BlockResult {
  readonly diff: StateDiff
  readonly receipts: readonly Receipt[]
  readonly transactions: readonly IncludedTx[]
  readonly gasUsed: bigint
  readonly logsBloom: Uint8Array
  /** The DA footprint since Jovian, zero since Ecotone; blob gas on L1. */
  readonly blobGasUsed: bigint | null
  readonly requestsHash: Hash | null
  /** EIP-7685 */
  readonly requests: readonly Uint8Array[]
  readonly tipsWei: bigint
}

export interface OpenBlock {
  readonly rules: BlockRules
  readonly session: BlockSession
  readonly gasLeft: bigint
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  applySystemCalls(): void
  applyTransaction(tx: Transaction, sender: Bytes20): TxResult
  abandonTransaction(): void
  /** Throws EvmError `evm/system-contract`. */
  finish(): BlockResult
}

export interface ExecuteBlockOptions extends OpenBlockOptions {
  readonly transactions: readonly Transaction[]
  readonly senders: SenderList
}

export interface SenderList {
  /** Null when the signature is invalid. */
  at(index: number): Bytes20 | null | undefined
}

export type ExecuteBlockResult =
  | { readonly kind: 'executed'; readonly result: BlockResult }
  | {
      readonly kind: 'invalid'
      readonly txIndex: number | null
      readonly reason: TxRejection | BlockOnlyRejection | 'sender' | 'system-contract'
      readonly message: string
    }
