import type { Address, Hash, L1BlockRef, Log } from '@keelson/primitives'

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
  readonly inclusion: L1Inclusion | null
}

export interface BridgeL1 {
  blockRef(at: 'latest' | 'finalized' | number | Hash): Promise<L1BlockRef | null>
  depositsIn(block: L1BlockRef): Promise<readonly LocatedLog[] | null>
  depositsBetween(from: number, to: number): Promise<readonly LocatedLog[]>
  transaction(hash: Hash): Promise<L1Transaction | null>
  nonceOf(account: Address): Promise<bigint>
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

export interface L2Snapshot {
  readonly unsafe: L2Head
  readonly safe: L2Head | null
  readonly finalized: L2Head | null
  readonly origin: { readonly number: number; readonly timestampSec: number } | null
  readonly hashes: readonly (Hash | null)[]
  readonly receipts: readonly (L2Receipt | null)[]
}

export type L2Failure =
  | { readonly kind: 'out-of-gas' }
  | { readonly kind: 'reverted'; readonly output: Uint8Array }
  | { readonly kind: 'other'; readonly text: string }

export interface BridgeL2 {
  /** Reads in one batch, so that one node responds consistently. */
  snapshot(ask: { readonly numbers: readonly number[]; readonly transactions: readonly Hash[] }): Promise<L2Snapshot>
  whyFailed(l2TxHash: Hash, blockNumber: number): Promise<L2Failure | null>
  /** Checks the message at the safe head. */
  isMessageDone(messageHash: Hash): Promise<boolean>
}
