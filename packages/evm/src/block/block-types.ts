/** What goes into executing a block and what comes out. */
import type { BlockRules, BlockTransition } from '@keelson/chainspec'
import type { Address, Bytes20, Crypto, Hash, Header, Receipt, StateDiff, Transaction, Withdrawal } from '@keelson/primitives'
import type { L1FeeDetails } from '../fees/l1-fee-details.ts'
import type { BlockSession, EvmEngine, SessionOptions, StateView } from '../ports.ts'
import type { RejectedTx, TxRejection } from '../tx/rejection.ts'
import type { Ommer } from './rewards.ts'

/** The part of a header that is known before execution. A whole header fits. */
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
  /** State after the parent block. */
  readonly view: StateView
  readonly header: HeaderSkeleton
  readonly rules: BlockRules
  /** What is special about this block; null for none (L1 chains, calls). */
  readonly transition: BlockTransition | null
  readonly chainId: bigint
  /** Recovers the authorities of EIP-7702 authorizations. */
  readonly crypto: Crypto
  /** Hash of a canonical ancestor, at most 256 back; null when unknown. The parent is answered from the header. */
  readonly blockHash: (number: number) => Hash | null
  /** Paid out by `finish` where the rules list real withdrawals. */
  readonly withdrawals?: readonly Withdrawal[] | null
  /** Ommers to reward (proof-of-work L1 chains). */
  readonly ommers?: readonly Ommer[]
  /** Moves the DAO's balances before the first transaction: the one block of Ethereum's fork of 2016. */
  readonly movesDaoBalances?: boolean
  /** Whose logs are deposit requests (L1 chains with requests); mainnet's when left out. */
  readonly depositContract?: Address
  /** Root of the parent state with the diff applied; needed where receipts carry a state root (before Byzantium). */
  readonly rootOf?: (diff: StateDiff) => Hash
  readonly session?: SessionOptions
}

export interface IncludedTx {
  readonly kind: 'included'
  readonly receipt: Receipt
  readonly gasUsed: bigint
  /** Wei per gas the sender paid; zero for deposits. */
  readonly effectiveGasPriceWei: bigint
  /** Wei the fee recipient got. */
  readonly tipWei: bigint
  /** Where a creating transaction puts, or failed to put, its contract; null for calls. */
  readonly contractAddress: Bytes20 | null
  /** Fee parameters that RPC shows with the receipt; null on L1 chains and for deposits. */
  readonly l1Fee: L1FeeDetails | null
  readonly blobGasUsed: bigint
  /** Returned data, of a revert too. */
  readonly output: Uint8Array
  readonly error: string | null
}

export type TxResult = IncludedTx | RejectedTx

export interface BlockResult {
  readonly diff: StateDiff
  readonly receipts: readonly Receipt[]
  readonly transactions: readonly IncludedTx[]
  readonly gasUsed: bigint
  /** 256 bytes. */
  readonly logsBloom: Uint8Array
  /** For the header: blob gas on L1, DA footprint from Jovian, zero from Ecotone, null before. */
  readonly blobGasUsed: bigint | null
  /** Null before requests exist. */
  readonly requestsHash: Hash | null
  /** EIP-7685 requests, type byte first, empty ones left out; always empty on OP chains. */
  readonly requests: readonly Uint8Array[]
  /** Sum of what the fee recipient got: the value of the block. */
  readonly tipsWei: bigint
}

/** A block being put together, transaction by transaction. Not usable again after `finish`. */
export interface OpenBlock {
  readonly rules: BlockRules
  readonly session: BlockSession
  /** Gas still free for transactions. */
  readonly gasLeft: bigint
  readonly gasUsed: bigint
  /** DA footprint so far (Jovian) or blob gas (L1). */
  readonly blobGasUsed: bigint
  /** What happens before the first transaction: code placed by a fork, EIP-4788, EIP-2935. Call once, first. */
  applySystemCalls(): Promise<void>
  /** Executes and keeps, or rejects and leaves everything as it was. `sender` is a deposit's `from` or the recovered signer. */
  applyTransaction(tx: Transaction, sender: Bytes20): Promise<TxResult>
  /** Undoes the transaction that `applyTransaction` will never settle for, because the session's tracer holds it for good. */
  abandonTransaction(): void
  /** Withdrawals, rewards, requests; then the totals. Throws EvmError `evm/system-contract` when L1's request contracts fail, which makes the block invalid. */
  finish(): Promise<BlockResult>
}

export interface ExecuteBlockOptions extends OpenBlockOptions {
  readonly transactions: readonly Transaction[]
  /** In the order of the transactions. */
  readonly senders: readonly Bytes20[]
}

export type ExecuteBlockResult =
  | { readonly kind: 'executed'; readonly result: BlockResult }
  | {
      readonly kind: 'invalid'
      /** Null when it is the block that fails, not one of its transactions. */
      readonly txIndex: number | null
      readonly reason: TxRejection | 'system-contract'
      readonly message: string
    }
