/** Classifies send errors by the messages of geth and other clients. */
import { RpcResponseError } from '../client-error.ts'

export type SendFailure =
  | 'known'
  /** Below the pool's minimum price or its minimum raise. */
  | 'underpriced'
  | 'nonce-too-low'
  | 'insufficient-funds'
  /** Pools do not hold blob and other transactions of one account together. */
  | 'reserved'
  | 'later'
  | 'rejected'

const TEXTS: readonly (readonly [RegExp, SendFailure])[] = [
  [/already known|already imported|known transaction|already in (the )?(mem)?pool|already exists/i, 'known'],
  [/nonce too low|nonce is too low|invalid nonce.*too low|old ?nonce/i, 'nonce-too-low'],
  [/underpriced|fee too low|feetoolow|max fee per (blob )?gas less than|less than block base fee|gas price too low/i, 'underpriced'],
  [/insufficient funds|insufficient balance/i, 'insufficient-funds'],
  [/already reserved/i, 'reserved'],
  [/pool is full|txpool is full|limit exceeded|nonce too (high|far)|gapped|rate limit|try again/i, 'later'],
]

/** Returns 'later' for errors that are not an error response of the node. */
export function classifySendFailure(error: unknown): SendFailure {
  if (!(error instanceof RpcResponseError)) return 'later'
  for (const [text, failure] of TEXTS) if (text.test(error.text)) return failure
  return error.severity === 'temporary' ? 'later' : 'rejected'
}
