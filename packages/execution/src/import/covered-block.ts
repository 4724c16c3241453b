/**
 * A block whose hash covers everything executed. Verdicts are cached by hash, so an uncovered list would let its sender decide
 * the verdict on the real block.
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
  /** Only proof-of-work L1 blocks have ommers. */
  readonly ommers: readonly Header[]
  readonly [covered]: true
}

export type Coverage =
  | { readonly kind: 'covered'; readonly block: CoveredBlock }
  /** Not cached: a different block may have this hash. */
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
