import type { BlockRules } from '@keelson/chainspec'
import type { TxRejection } from '@keelson/evm'
import type { Address, Bytes20, Hash, SignedTransaction } from '@keelson/primitives'
import type { TransactionConditional } from './conditional.ts'

export interface PooledTransaction {
  readonly tx: SignedTransaction
  readonly hash: Hash
  readonly sender: Address
  readonly senderBytes: Bytes20
  /** Maximum cost, including the L1 data fee and the operator fee; updated with each head. */
  costWei: bigint
  readonly addedAtMs: number
  readonly order: number
  /** Removed when the transaction is also submitted without conditions. */
  conditional?: TransactionConditional
}

export interface AddOptions {
  readonly conditional?: TransactionConditional
}

export type PoolRejection =
  | TxRejection
  | 'already-known'
  | 'replacement-underpriced'
  | 'underpriced'
  | 'pool-full'
  | 'account-limit'
  | 'oversized'
  | 'deposit'
  | 'invalid-sender'
  | 'unprotected'
  | 'fee-above-cap'
  | 'delegated-in-flight'
  | 'delegated-gap'
  | 'authority-reserved'

/** `local`: submitted to this node; the fee cap applies. `returned`: from the journal or a reverted block. */
export type PoolOrigin = 'local' | 'peer' | 'returned'

export type PoolDropReason = 'included' | 'stale' | 'replaced' | 'evicted' | 'expired' | 'failed' | 'condition' | 'unsaved'

export interface PoolDrop {
  readonly pooled: PooledTransaction
  readonly reason: PoolDropReason
}

export interface PoolRejected {
  readonly kind: 'rejected'
  readonly reason: PoolRejection
  readonly detail: string
}

export type PoolVerdict =
  | { readonly kind: 'added'; readonly hash: Hash }
  | { readonly kind: 'replaced'; readonly hash: Hash; readonly replaced: Hash }
  | PoolRejected

export interface PoolAccount {
  readonly nonce: bigint
  readonly balanceWei: bigint
  /** A contract cannot sign. Other keys can spend from a delegated account (EIP-7702). */
  readonly kind: 'plain' | 'delegated' | 'contract'
}

/** State after the head, rules and fees of the next block. */
export interface PoolHead {
  readonly rules: BlockRules
  readonly baseFeeWei: bigint
  readonly gasLimit: bigint
  readonly next: { readonly number: number; readonly timestampSec: number }
  account(address: Bytes20): PoolAccount
  /** Changes whenever the result of `costWei` may change. */
  readonly priceKey: string
  costWei(tx: SignedTransaction): bigint
  check(tx: SignedTransaction): { readonly reason: TxRejection; readonly message: string } | null
}

export interface TxPoolOptions {
  readonly maxTransactions: number
  readonly maxBytes: number
  readonly maxTransactionBytes: number
  readonly maxPerAccount: number
  /** Queued transactions wait for an earlier nonce or for funds. */
  readonly maxQueuedPerAccount: number
  /** Waiting transactions are dropped when the sender's executable ones have not changed for this time. */
  readonly queuedLifetimeMs: number
  readonly replacementBumpPercent: bigint
  readonly minTipWei: bigint
  /** Legacy signatures without a chain id can be replayed on any chain. */
  readonly allowUnprotected: boolean
  /** Applies to transactions submitted to this node; 0 means no limit. */
  readonly feeCapWei: bigint
}

export const DEFAULT_TX_POOL_OPTIONS: TxPoolOptions = {
  maxTransactions: 10_240,
  maxBytes: 64 * 1024 * 1024,
  maxTransactionBytes: 128 * 1024,
  maxPerAccount: 2_048,
  maxQueuedPerAccount: 256,
  queuedLifetimeMs: 3 * 60 * 60 * 1000,
  replacementBumpPercent: 10n,
  minTipWei: 0n,
  allowUnprotected: false,
  feeCapWei: 10n ** 18n,
}
