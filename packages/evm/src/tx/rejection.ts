export type TxRejection =
  | 'type-not-supported'
  | 'chain-id-mismatch'
  | 'nonce-too-low'
  | 'nonce-too-high'
  | 'nonce-max'
  | 'sender-not-eoa'
  | 'tip-above-fee-cap'
  | 'fee-cap-below-base-fee'
  | 'insufficient-funds'
  | 'intrinsic-gas'
  | 'floor-data-gas'
  | 'tx-gas-cap'
  | 'block-gas-limit'
  | 'init-code-too-large'
  | 'blob-gas-limit'
  | 'blob-fee-cap-below-base-fee'
  | 'blob-count'
  | 'blob-hash-version'
  | 'empty-authorization-list'
  | 'da-footprint-limit'

/** Reasons that depend on the block's other transactions or on its fork, never on the transaction alone. */
export type BlockOnlyRejection = 'post-exec' | 'activation-block'

export interface RejectedTx<Reason extends TxRejection | BlockOnlyRejection = TxRejection> {
  readonly kind: 'rejected'
  readonly reason: Reason
  readonly message: string
}

export function rejected<Reason extends TxRejection | BlockOnlyRejection>(reason: Reason, message: string): RejectedTx<Reason> {
  return { kind: 'rejected', reason, message }
}
