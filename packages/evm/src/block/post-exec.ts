/**
 * Post-execution transactions (0x7d). The sequencer appends at most one to a block, as its last transaction. Its payload gives gas
 * back to the senders of earlier transactions. A refund changes the fees that a transaction settles at its end, so the payload is
 * decoded and validated before the first transaction executes. specs: protocol/lagoon/post-exec.md#block-level-structural-rules, sdm.md#validity-rules
 */
import type { BlockRules } from '@keelson/chainspec'
import {
  decodePostExecPayload,
  type Header,
  isPostExec,
  isSigned,
  NodeError,
  type PostExecTransaction,
  type Transaction,
} from '@keelson/primitives'
import { type RejectedTx, rejected } from '../tx/rejection.ts'

/** The refunds of a block, known before its first transaction executes. */
export type PostExecPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'refunds'; readonly index: number; readonly gasByIndex: ReadonlyMap<number, bigint> }
  /** The block is invalid because of transaction `index`. */
  | { readonly kind: 'invalid'; readonly index: number; readonly rejection: RejectedTx<'post-exec' | 'type-not-supported'> }

export const NO_POST_EXEC: PostExecPlan = { kind: 'none' }

export function planPostExec(
  transactions: readonly Transaction[],
  { number }: Pick<Header, 'number'>,
  rules: Pick<BlockRules, 'postExecTransactions'>,
): PostExecPlan {
  const index = transactions.findIndex(isPostExec)
  if (index < 0) return NO_POST_EXEC
  const invalid = (message: string): PostExecPlan => ({ kind: 'invalid', index, rejection: rejected('post-exec', message) })
  if (!rules.postExecTransactions) {
    return { kind: 'invalid', index, rejection: rejected('type-not-supported', 'post-execution transactions exist from Lagoon on') }
  }
  if (index !== transactions.length - 1) {
    return invalid(`a post-execution transaction must be the last of its block; ${transactions.length - 1 - index} follow it`)
  }
  const payload = payloadOf(transactions[index] as PostExecTransaction)
  if (typeof payload === 'string') return invalid(payload)
  if (payload.blockNumber !== BigInt(number)) return invalid(`its payload is for block ${payload.blockNumber}, expected ${number}`)
  for (const refund of payload.refunds) {
    const refunded = transactions[refund.index]
    if (refunded === undefined) return invalid(`it refunds transaction ${refund.index}, which the block does not have`)
    if (!isSigned(refunded))
      return invalid(`it refunds transaction ${refund.index} of type ${refunded.type}; only signed ones are refunded`)
  }
  return { kind: 'refunds', index, gasByIndex: new Map(payload.refunds.map(({ index: refunded, gas }) => [refunded, gas])) }
}

function payloadOf(tx: PostExecTransaction): ReturnType<typeof decodePostExecPayload> | string {
  try {
    return decodePostExecPayload(tx.payload)
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return error.message
  }
}
