import type { Address } from '@keelson/primitives'

export interface TransactionCandidate {
  /** Null creates a contract. */
  readonly to: Address | null
  readonly data: Uint8Array
  readonly valueWei?: bigint
  /** Blobs of 131,072 bytes each, for a blob transaction. */
  readonly blobs?: readonly Uint8Array[]
  /** Default: the node's estimate plus a tenth. */
  readonly gasLimit?: bigint
  /** Added to the default, because state may change before mining. */
  readonly spareGas?: bigint
  /** Journaled, so that it is returned after a restart. */
  readonly label?: string
  /** Called once journaled and sent. If `send` throws earlier, nothing is on the chain. */
  readonly onPlaced?: () => void
}
