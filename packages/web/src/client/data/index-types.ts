/** Answers of the index that the pages read. Amounts are decimal text, times RFC 3339. */
export interface Listed<T> {
  readonly items: readonly T[]
  /** Value of `before` for the following page; null on the last. */
  readonly next: string | null
}

export interface IndexedBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly time: string
  readonly feeRecipient: string
  readonly gasUsed: string
  readonly gasLimit: string
  readonly baseFeePerGas: string | null
  readonly sizeBytes: number
  readonly transactions: number
  readonly l2Fees: string
  readonly l1Fees: string
}

export interface IndexedTransaction {
  readonly hash: string
  readonly block: number
  readonly position: number
  readonly time: string
  readonly type: number
  readonly from: string
  readonly to: string | null
  readonly created: string | null
  readonly value: string
  readonly method: string | null
  readonly succeeded: boolean
  readonly gasUsed: string
  readonly gasPrice: string
  readonly l1Fee: string | null
  readonly roles?: readonly string[]
}

export interface Batch {
  readonly transaction: string
  readonly l1Block: number
  readonly time: string
  readonly from: string
  readonly carrier: 'blobs' | 'calldata'
  readonly blobs: number
  readonly bytes: number
  readonly readable: boolean
}

export interface Channel {
  readonly channel: string
  readonly closedInL1Block: number
  readonly firstBlock: number | null
  readonly lastBlock: number | null
  readonly batches: number
  readonly problem: string | null
}

export interface Sums {
  readonly blocks: number
  readonly transactions: number
  readonly gasUsed: string
  readonly l2Fees: string
  readonly l1Fees: string
  readonly averageGasPrice: string
}

export interface Stats {
  readonly totals: Sums
  readonly interval: 'hour' | 'day'
  readonly points: readonly (Sums & { readonly from: string })[]
}

export interface TokenTransfer {
  readonly transaction: string
  readonly block: number
  readonly logPosition: number
  readonly time: string
  readonly from: string
  readonly to: string
  readonly amount: string
  readonly tokenId: string | null
  readonly token: TokenName
}

/** Names are the words of the contract and may lie. */
export interface TokenName {
  readonly address: string
  readonly kind: string
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
}

export interface Token extends TokenName {
  readonly firstBlock: number
}

/** What somebody holds of a token. */
export interface Held {
  readonly balance: string
  /** `contract`: what it answers to balanceOf; `events`: the sum of its transfers, because it does not answer. */
  readonly source: 'contract' | 'events'
  readonly fromEvents: string
}

export interface TokenDetails extends TokenName {
  /** Null for a token that no event and no first state names: only its contract was asked. */
  readonly firstBlock: number | null
  readonly totalSupply: string | null
  readonly holders: number
  readonly hasMoreHolders: boolean
}

export interface AddressDetails {
  readonly address: string
  readonly balance: string
  readonly nonce: string
  readonly codeBytes: number
  readonly codeHash: string | null
  readonly created: { readonly transaction: string; readonly creator: string; readonly block: number; readonly time: string } | null
  readonly token: Token | null
}

export interface Deposit {
  readonly l1Transaction: string
  readonly l1Block: number
  readonly time: string
  readonly initiator: string
  readonly from: string
  readonly to: string | null
  readonly mint: string
  readonly value: string
  readonly transfer: { readonly from: string; readonly to: string } | null
  readonly l2Transaction: string
  readonly block: number | null
  readonly succeeded: boolean | null
}

export interface Withdrawal {
  readonly block: number
  readonly time: string
  readonly transaction: string
  readonly from: string
  readonly to: string
  readonly value: string
  readonly withdrawalHash: string
}

export interface Carriers {
  readonly block: number
  readonly channel: Channel | null
  readonly transactions: readonly Batch[]
}
