/** L1 and L2 as the bridge status service asks them. Everything throws what its client throws when it cannot be asked. */
import type { Address, Hash, L1BlockRef, Log } from '@keelson/primitives'

/** A portal log with its place; `logIndex` counts over all logs of its L1 block. */
export interface LocatedLog {
  readonly log: Log
  readonly logIndex: number
  readonly txHash: Hash
  readonly block: L1BlockRef
}

export interface L1Inclusion {
  readonly block: L1BlockRef
  readonly succeeded: boolean
  readonly gasUsed: bigint
  /** Logs of the portal. */
  readonly deposits: readonly LocatedLog[]
}

export interface L1Transaction {
  readonly hash: Hash
  readonly from: Address
  readonly to: Address | null
  readonly nonce: bigint
  readonly valueWei: bigint
  readonly gasLimit: bigint
  readonly data: Uint8Array
  /** Null while it waits in the pool. */
  readonly inclusion: L1Inclusion | null
}

export interface BridgeL1 {
  /** Null: this L1 does not know the block. */
  blockRef(at: 'latest' | 'finalized' | number | Hash): Promise<L1BlockRef | null>
  /** Deposits of one block, in order; null when this L1 does not know the block. */
  depositsIn(block: L1BlockRef): Promise<readonly LocatedLog[] | null>
  /** Deposits of final blocks, both ends included. */
  depositsBetween(from: number, to: number): Promise<readonly LocatedLog[]>
  /** In a block or in the pool; null when neither. */
  transaction(hash: Hash): Promise<L1Transaction | null>
  /** Next nonce of an account at the head. */
  nonceOf(account: Address): Promise<bigint>
  /** What a transaction that reverted gave back, by doing it again before its block; null when that cannot be told. */
  revertData(tx: L1Transaction, blockNumber: number): Promise<Uint8Array | null>
}

export interface L2Head {
  readonly number: number
  readonly timestampSec: number
}

export interface L2Receipt {
  readonly blockNumber: number
  readonly blockHash: Hash
  readonly succeeded: boolean
  readonly gasUsed: bigint
  readonly logs: readonly Log[]
}

export interface L2Look {
  readonly unsafe: L2Head
  readonly safe: L2Head | null
  readonly finalized: L2Head | null
  /** L1 origin of the unsafe head; null when it cannot be told. */
  readonly origin: { readonly number: number; readonly timestampSec: number } | null
  /** In the order asked; null where the node has no such block. */
  readonly hashes: readonly (Hash | null)[]
  readonly receipts: readonly (L2Receipt | null)[]
}

export type L2Failure =
  | { readonly kind: 'out-of-gas' }
  /** `output` is what was given back. */
  | { readonly kind: 'reverted'; readonly output: Uint8Array }
  | { readonly kind: 'other'; readonly text: string }

export interface BridgeL2 {
  /** Heads, canonical hashes by number and receipts in one question, so that one node answers all of it. */
  look(ask: { readonly numbers: readonly number[]; readonly transactions: readonly Hash[] }): Promise<L2Look>
  /** Why a deposit failed in its block; null when this node cannot tell. */
  whyFailed(l2TxHash: Hash, blockNumber: number): Promise<L2Failure | null>
  /** Has the messenger carried out the message, as of the safe head? */
  isMessageDone(messageHash: Hash): Promise<boolean>
}
