/**
 * The whole overlap is compared before any block of the span is used, also from Holocene on.
 * protocol/delta/span-batches.md#batch-queue; specs pull request 928, optimism pull requests 22215 and 22489
 */
import { equalBytes, type L2BlockRef, TX_DEPOSIT } from '@keelson/primitives'
import { l2BlockRefOf } from '../codec/payload.ts'
import type { SpanBatch, SpanBatchBlock } from '../codec/span-batch/span-batch-cursor.ts'
import { DerivationError } from '../errors.ts'
import type { L2Reader } from '../ports.ts'
import type { BatchContext } from './batch-validity.ts'

export interface OverlapCheck {
  /** After an error the next call resumes at the same block, so a failed local read never decides a batch. */
  compare(maxBlocks: number): Promise<'more' | 'agrees' | 'differs'>
  readonly rest: Iterable<SpanBatchBlock>
  readonly newBlocks: number
}

/** `parentBlock` is the safe block before the span, which has passed the prefix rules. */
export function createOverlapCheck(
  { config, parent }: Pick<BatchContext, 'config' | 'parent'>,
  batch: SpanBatch,
  parentBlock: L2BlockRef,
  l2: L2Reader,
): OverlapCheck {
  const overlapping = parent.number - parentBlock.number
  const blocks = batch.blocks[Symbol.iterator]()
  let taken: SpanBatchBlock | null = null
  let compared = 0

  async function agrees(block: SpanBatchBlock): Promise<boolean> {
    const { payload } = await safeBlock(l2, parentBlock.number + 1 + compared)
    const own = payload.transactions.filter((transaction) => transaction[0] !== TX_DEPOSIT)
    if (own.length !== block.transactions.length) return false
    let at = 0
    for (const transaction of block.transactions) if (!equalBytes(transaction, own[at++] as Uint8Array)) return false
    return l2BlockRefOf(payload, config.genesis).l1Origin.number === block.epochNumber
  }

  return {
    async compare(maxBlocks) {
      for (let i = 0; i < maxBlocks && compared < overlapping; i++) {
        taken ??= blocks.next().value as SpanBatchBlock
        if (!(await agrees(taken))) return 'differs'
        taken = null
        compared++
      }
      return compared < overlapping ? 'more' : 'agrees'
    },
    rest: { [Symbol.iterator]: () => blocks },
    newBlocks: batch.blockCount - overlapping,
  }
}

/** Throws DerivationError `derivation/l2-unavailable` (temporary). */
export async function safeBlock(l2: L2Reader, number: number) {
  const envelope = await l2.payload(number)
  if (envelope !== null) return envelope
  throw new DerivationError(
    'derivation/l2-unavailable',
    'temporary',
    `the execution client does not return L2 block ${number} of the safe chain, which a span batch overlaps; the span is checked again`,
    { number },
  )
}
