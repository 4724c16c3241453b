import type { Address } from '@keelson/primitives'

export interface TransactionCandidate {
  /** Null creates a contract. */
  readonly to: Address | null
  readonly data: Uint8Array
  readonly valueWei?: bigint
  /** Blobs of 131,072 bytes each, for a blob transaction. */
  readonly blobs?: readonly Uint8Array[]
  /** Default: the node's estimate plus 10%. */
  readonly gasLimit?: bigint
  /** Added to the default `gasLimit`, because the state may change before the transaction is mined. */
  readonly spareGas?: bigint
  /** Journaled, so that it is returned after a restart. */
  readonly label?: string
  /** Called once the transaction is journaled and sent. If `send` throws before, nothing is on the chain. */
  readonly onPlaced?: () => void
}
