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
