/** What a sender asks of the transaction manager: everything but nonce, price and signature. */
import type { Address } from '@keelson/primitives'

export interface TransactionCandidate {
  /** Null creates a contract. */
  readonly to: Address | null
  readonly data: Uint8Array
  readonly valueWei?: bigint
  /** Of 131,072 bytes each; makes it a blob transaction. */
  readonly blobs?: readonly Uint8Array[]
  /** Default: the node's estimate and a tenth more. */
  readonly gasLimit?: bigint
  /** On top of the default, for what the call may have to do by the time it is mined. */
  readonly spareGas?: bigint
  /** Kept in the journal and given back after a restart. */
  readonly label?: string
  /** Called once it is journaled and on its way. A `send` that rejects before has left nothing on the chain, and its nonce is free. */
  readonly onPlaced?: () => void
}
