/**
 * A block whose hash covers everything that is executed. Verdicts are cached by hash, so a list outside the header's roots would
 * let its sender determine the verdict on the real block. Only the functions here create one.
 */
import type { BlockRules } from '@keelson/chainspec'
import { validateBody } from '@keelson/evm'
import {
  type Block,
  CodecError,
  describePayloadMismatch,
  type ExecutionPayload,
  type Hash,
  type Header,
  payloadToBlock,
  uncoveredWithdrawals,
} from '@keelson/primitives'

declare const covered: unique symbol

export interface CoveredBlock {
  readonly block: Block
  /** Non-empty only in blocks of proof-of-work L1 chains. */
  readonly ommers: readonly Header[]
  readonly [covered]: true
}

export type Coverage =
  | { readonly kind: 'covered'; readonly block: CoveredBlock }
  /** A different block may have this hash, so the refusal is returned and not cached. */
  | { readonly kind: 'refused'; readonly reason: string }

type ListRules = Pick<BlockRules, 'withdrawals'>

/** `requestsHash` is null or omitted when it follows from the payload. */
export function coverPayload(
  payload: ExecutionPayload,
  parentBeaconBlockRoot: Hash | null,
  requestsHash: Hash | null,
  rules: ListRules,
): Coverage {
  const { withdrawalsRoot, blockNumber } = payload
  if (withdrawalsRoot !== null && rules.withdrawals !== 'storage-root') {
    return refused(`block ${blockNumber}: withdrawals-root: expected none in the payload, got ${withdrawalsRoot}`)
  }
  const uncovered = uncoveredWithdrawals(payload)
  if (uncovered !== null) return refused(describePayloadMismatch(uncovered, payload))
  const block = decoded(payload, parentBeaconBlockRoot, requestsHash)
  if (typeof block === 'string') return refused(block)
  if (block.hash !== payload.blockHash) {
    return refused(describePayloadMismatch({ kind: 'block-hash-mismatch', actual: block.hash }, payload))
  }
  return cover(block, [])
}

export function coverBody(block: Block, ommers: readonly Header[], rules: ListRules): Coverage {
  const { header, withdrawals } = block
  const problem = validateBody(header, { ...block, ommers }, rules)
  if (problem !== null) return refused(problem.message)
  if (rules.withdrawals === 'storage-root' && withdrawals?.length !== 0) {
    return refused(`block ${header.number}: withdrawals: expected an empty list, got ${withdrawals?.length ?? 'none'}`)
  }
  return cover(block, ommers)
}

function decoded(payload: ExecutionPayload, parentBeaconBlockRoot: Hash | null, requestsHash: Hash | null): Block | string {
  try {
    return payloadToBlock(payload, parentBeaconBlockRoot, requestsHash ?? undefined)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return error.message
  }
}

function cover(block: Block, ommers: readonly Header[]): Coverage {
  return { kind: 'covered', block: { block, ommers } as CoveredBlock }
}

function refused(reason: string): Coverage {
  return { kind: 'refused', reason }
}
