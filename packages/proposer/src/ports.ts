import type { Address, L1BlockRef } from '@keelson/primitives'

/** Throws severity 'temporary' when L1 is unreachable. */
export interface L1Caller {
  call(to: Address, data: Uint8Array): Promise<Uint8Array>
}

export interface L1Blocks {
  blockRef(at: 'latest' | number): Promise<L1BlockRef | null>
}

export interface ProposalReceipt {
  readonly succeeded: boolean
  readonly transactionHash: string
  readonly blockNumber: number
  readonly blockHash: string
}

export interface L1Sender {
  readonly address: Address
  send(
    transaction: { readonly to: Address; readonly data: Uint8Array; readonly label?: string },
    signal: AbortSignal,
  ): Promise<ProposalReceipt>
  recover(): Promise<readonly { readonly label: string; readonly receipt: Promise<ProposalReceipt> }[]>
}
