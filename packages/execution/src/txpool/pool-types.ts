/** The pool's words: what it holds, what it answers, and what it needs to know of the chain's head. */
import type { BlockRules } from '@keelson/chainspec'
import type { TxRejection } from '@keelson/evm'
import type { Address, Bytes20, Hash, SignedTransaction } from '@keelson/primitives'
import type { TransactionConditional } from './conditional.ts'

export interface PooledTransaction {
  readonly tx: SignedTransaction
  readonly hash: Hash
  readonly sender: Address
  readonly senderBytes: Bytes20
  /** Most it can take from the sender: gas at the fee cap, value, L1 data fee and operator fee, in wei. Set anew with each head. */
  costWei: bigint
  readonly addedAtMs: number
  /** Breaks ties between equal tips: first come, first served. */
  readonly order: number
  /** What its submitter asks of the block that takes it, until somebody submits it without conditions. See conditional.ts */
  conditional?: TransactionConditional
}

/** Of one submission. */
export interface AddOptions {
  readonly conditional?: TransactionConditional
}

/** Reasons of the rules (shared with execution) and of the pool itself. */
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

/** `local`: submitted here, so the fee cap for submissions applies. `returned`: had before, from the journal or a block that left. */
export type PoolOrigin = 'local' | 'peer' | 'returned'

/** Why a transaction left the pool. */
export type PoolDropReason = 'included' | 'stale' | 'replaced' | 'evicted' | 'expired' | 'failed' | 'condition' | 'unsaved'

export interface PoolDrop {
  readonly pooled: PooledTransaction
  readonly reason: PoolDropReason
}

export interface PoolRejected {
  readonly kind: 'rejected'
  readonly reason: PoolRejection
  /** Expected and got, to follow the fixed text of the reason; may be empty. */
  readonly detail: string
}

/** `rejected` means not kept, without exception. */
export type PoolVerdict =
  | { readonly kind: 'added'; readonly hash: Hash }
  | { readonly kind: 'replaced'; readonly hash: Hash; readonly replaced: Hash }
  | PoolRejected

export interface PoolAccount {
  readonly nonce: bigint
  readonly balanceWei: bigint
  /** A contract: no signature speaks for it. Delegated (EIP-7702): others can spend from it. */
  readonly kind: 'plain' | 'delegated' | 'contract'
}

/** The state after the head, and the rules and fees of the block that comes next. */
export interface PoolHead {
  readonly rules: BlockRules
  /** Base fee of the next block. */
  readonly baseFeeWei: bigint
  readonly gasLimit: bigint
  /** The least that number and time of the next block can be. */
  readonly next: { readonly number: number; readonly timestampSec: number }
  account(address: Bytes20): PoolAccount
  /** Changes whenever `costWei` may. */
  readonly priceKey: string
  /** The most it can take from its sender, in wei: value, gas at the fee cap, L1 data fee, operator fee. */
  costWei(tx: SignedTransaction): bigint
  /** Stateless checks of the rules: type, gas, sizes. Null when it passes. */
  check(tx: SignedTransaction): { readonly reason: TxRejection; readonly message: string } | null
}

export interface TxPoolOptions {
  readonly maxTransactions: number
  readonly maxBytes: number
  readonly maxTransactionBytes: number
  /** Executable and waiting together. */
  readonly maxPerAccount: number
  /** Waiting for an earlier nonce or for funds. */
  readonly maxQueuedPerAccount: number
  /** A waiting transaction is dropped when its sender's executable ones have not moved for this time. */
  readonly queuedLifetimeMs: number
  readonly replacementBumpPercent: bigint
  readonly minTipWei: bigint
  /** Legacy signatures without a chain id replay on every chain; off unless asked for. */
  readonly allowUnprotected: boolean
  /** Largest fee one transaction may pay when submitted here, in wei; 0 is no limit. */
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
