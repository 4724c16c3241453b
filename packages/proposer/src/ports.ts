/** What the proposer asks of the world: the rollup node's outputs, the oracle's state, a way to send to L1. */
import type { Address } from '@keelson/primitives'

/** Read-only call of an L1 contract at the head. Throws severity 'temporary' when L1 is unreachable. */
export interface L1Caller {
  call(to: Address, data: Uint8Array): Promise<Uint8Array>
}

/** One L1 transaction until it is mined. */
export interface L1Sender {
  /** Resolves with whether it succeeded; rejects when it could not be placed. */
  send(
    transaction: { readonly to: Address; readonly data: Uint8Array },
    signal: AbortSignal,
  ): Promise<{ readonly succeeded: boolean; readonly transactionHash: string }>
}
