/** What the proposer asks of the world: the rollup node's outputs, L1 and the oracle's state, a way to send to L1. */
import type { Address, L1BlockRef } from '@keelson/primitives'

/** Read-only call of an L1 contract at the head. Throws severity 'temporary' when L1 is unreachable. */
export interface L1Caller {
  call(to: Address, data: Uint8Array): Promise<Uint8Array>
}

/** L1 as the node sees it that transactions are sent to. */
export interface L1Blocks {
  /** Null when there is no such block (any more). */
  blockRef(at: 'latest' | number): Promise<L1BlockRef | null>
}

export interface ProposalReceipt {
  readonly succeeded: boolean
  readonly transactionHash: string
  readonly blockNumber: number
  readonly blockHash: string
}

/** One L1 transaction until it is mined. */
export interface L1Sender {
  /** The account that proposes. */
  readonly address: Address
  /** Resolves when mined; rejects when it could not be placed. */
  send(
    transaction: { readonly to: Address; readonly data: Uint8Array; readonly label?: string },
    signal: AbortSignal,
  ): Promise<ProposalReceipt>
  /** What an earlier run sent and has not settled, with the labels it had. */
  recover(): Promise<readonly { readonly label: string; readonly receipt: Promise<ProposalReceipt> }[]>
}
