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

export interface RejectedTx {
  readonly kind: 'rejected'
  readonly reason: TxRejection
  readonly message: string
}
