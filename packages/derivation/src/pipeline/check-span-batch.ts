/**
 * The prefix and overlap rules apply under every fork, the others before Holocene. protocol/delta/span-batches.md#batch-queue,
 * holocene/derivation.md#span-batches
 */
import { equalBytes, inclusionTime, type L1BlockRef, type L2BlockRef, originTime } from '@keelson/primitives'
import { l2BlockRefOf } from '../codec/payload.ts'
import { checkOf } from '../codec/span-batch/span-batch.ts'
import type { SpanBatch } from '../codec/span-batch/span-batch-cursor.ts'
import type { L2Reader } from '../ports.ts'
import {
  ACCEPT,
  type BatchContext,
  type BatchRefusal,
  type BatchValidity,
  drop,
  FUTURE,
  nextTimestampOf,
  PAST,
  UNDECIDED,
} from './batch-validity.ts'
import { checkDrift, checkTransactions } from './check-batch.ts'
import { createOverlapCheck, safeBlock } from './overlap-check.ts'

export type SpanPrefixVerdict = BatchRefusal | { readonly kind: 'accept'; readonly parentBlock: L2BlockRef }

export async function checkSpanBatchPrefix(context: BatchContext, batch: SpanBatch, l2: L2Reader): Promise<SpanPrefixVerdict> {
  const { config, origins, inclusion } = context
  const [epoch, nextEpoch] = origins
  if (epoch === undefined) return UNDECIDED
  const { first } = batch
  const strict = config.forks.inclusionRules(inclusionTime(inclusion)).strictOrdering

  const origin = first.epochNumber === epoch.number + 1 ? nextEpoch : epoch
  if (origin === undefined) return UNDECIDED
  if (!config.forks.originRules(originTime(origin)).spanBatches) return drop('span-batch-too-early')

  const nextTimestamp = nextTimestampOf(context)
  if (first.timestampSec > nextTimestamp) return strict ? drop('batch-in-future') : FUTURE
  if (batch.last.timestampSec < nextTimestamp) return strict ? PAST : drop('batch-in-past')

  const parentBlock = await parentOf(context, first.timestampSec, strict, l2)
  if ('kind' in parentBlock) return parentBlock
  if (!equalBytes(batch.parentCheck, checkOf(parentBlock.hash))) return drop('batch-wrong-parent')
  if (first.epochNumber + config.sequencingWindowL1Blocks < inclusion.number) return drop('batch-included-too-late')
  if (first.epochNumber > parentBlock.l1Origin.number + 1) return drop('batch-epoch-too-new')

  const originVerdict = checkLastOrigin(context, batch, strict)
  if (originVerdict !== null) return originVerdict
  if (first.epochNumber < parentBlock.l1Origin.number) return drop('batch-epoch-too-old')
  return { kind: 'accept', parentBlock }
}

async function parentOf(context: BatchContext, startSec: number, strict: boolean, l2: L2Reader): Promise<L2BlockRef | BatchRefusal> {
  const { config, parent } = context
  if (startSec === nextTimestampOf(context)) return parent
  const behindSec = parent.timestampSec - startSec
  if (behindSec < 0 || behindSec % config.blockTimeSec !== 0) return drop('span-batch-misaligned')
  const number = parent.number - behindSec / config.blockTimeSec - 1
  // No block precedes genesis. op-node returns undecided (batches.go), which from Holocene drops the span but not its channel.
  // Before Holocene that would block the queue forever, so the span is dropped.
  if (number < config.genesis.l2.number) return strict ? UNDECIDED : drop('span-batch-misaligned')
  return l2BlockRefOf((await safeBlock(l2, number)).payload, config.genesis)
}

function checkLastOrigin(context: BatchContext, batch: SpanBatch, strict: boolean): BatchRefusal | null {
  const { origins } = context
  const end = batch.last.epochNumber
  const block = origins.find((candidate) => candidate.number === end)
  if (block !== undefined) {
    return equalBytes(batch.l1OriginCheck, checkOf(block.hash)) ? null : drop('batch-wrong-epoch-hash')
  }
  // op-node and kona return undecided (batches.go, span.rs), although valid data cannot name an L1 block after the one that
  // carries it.
  return strict || end >= (origins[0] as L1BlockRef).number ? UNDECIDED : drop('batch-epoch-too-old')
}

/** Before Holocene one bad block invalidates the span. */
export async function checkSpanBatch(context: BatchContext, batch: SpanBatch, l2: L2Reader): Promise<BatchValidity> {
  const prefix = await checkSpanBatchPrefix(context, batch, l2)
  if (prefix.kind !== 'accept') return prefix
  const { parentBlock } = prefix
  const refused = checkNewBlocks(context, batch, parentBlock)
  if (refused !== null) return refused
  const overlap = createOverlapCheck(context, batch, parentBlock, l2)
  return (await overlap.compare(Number.POSITIVE_INFINITY)) === 'agrees' ? ACCEPT : drop('span-batch-overlap-differs')
}

function checkNewBlocks(context: BatchContext, batch: SpanBatch, parentBlock: L2BlockRef): BatchRefusal | null {
  const { origins, parent } = context
  const firstNumber = (origins[0] as L1BlockRef).number
  let before = parentBlock.l1Origin.number
  for (const block of batch.blocks) {
    const advances = block.epochNumber > before
    before = block.epochNumber
    if (block.timestampSec <= parent.timestampSec) continue
    if (block.epochNumber < parent.l1Origin.number) return drop('batch-before-safe-origin')
    const origin = origins[block.epochNumber - firstNumber]
    if (origin === undefined) return drop('batch-origin-unknown')
    if (block.timestampSec < origin.timestampSec) return drop('batch-before-its-origin')
    const drift = checkDrift(context, { ...block, origin, advances, nextOrigin: origins[block.epochNumber - firstNumber + 1] })
    if (drift !== null) return drift
    const reason = checkTransactions(context, block.timestampSec, block.transactions)
    if (reason !== null) return drop(reason)
  }
  return null
}
