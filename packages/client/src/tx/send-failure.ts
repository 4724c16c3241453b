/** What a node means when it refuses a transaction. The texts are geth's, with those of other clients beside them. */
import { RpcResponseError } from '../client-error.ts'

export type SendFailure =
  /** It has this very transaction: as good as sent. */
  | 'known'
  /** Below the pool's floor, or not enough above the one it would replace. */
  | 'underpriced'
  | 'nonce-too-low'
  | 'insufficient-funds'
  /** The account has transactions of the other kind in the pool: blobs and others cannot be there at once. */
  | 'reserved'
  /** The pool or the account's part of it is full, or the node is in trouble: the same again later. */
  | 'later'
  /** It will never be accepted as it is. */
  | 'rejected'

const TEXTS: readonly (readonly [RegExp, SendFailure])[] = [
  [/already known|already imported|known transaction|already in (the )?(mem)?pool|already exists/i, 'known'],
  [/nonce too low|nonce is too low|invalid nonce.*too low|old ?nonce/i, 'nonce-too-low'],
  [/underpriced|fee too low|feetoolow|max fee per (blob )?gas less than|less than block base fee|gas price too low/i, 'underpriced'],
  [/insufficient funds|insufficient balance/i, 'insufficient-funds'],
  [/already reserved/i, 'reserved'],
  [/pool is full|txpool is full|limit exceeded|nonce too (high|far)|gapped|rate limit|try again/i, 'later'],
]

/** For errors of eth_sendRawTransaction; anything that is not the node's own answer is 'later'. */
export function classifySendFailure(error: unknown): SendFailure {
  if (!(error instanceof RpcResponseError)) return 'later'
  for (const [text, failure] of TEXTS) if (text.test(error.text)) return failure
  return error.severity === 'temporary' ? 'later' : 'rejected'
}
