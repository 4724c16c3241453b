/**
 * Applies the pipeline's batch rules with L1 data alone. The parent is the last accepted block, or the one that the batch claims (first
 * batch, gaps); each verdict lists the rules that this leaves unchecked. protocol/derivation.md#batch-queue
 */
import type { RollupConfig } from '@keelson/chainspec'
import { type BlockId, bytesToHex, concatBytes, inclusionTime, type L1BlockRef, type L2BlockRef, l2Time, toHash } from '@keelson/primitives'
import type { SpanBatch } from '../codec/span-batch/span-batch-cursor.ts'
import type { DropReason } from '../observer.ts'
import { type BatchContext, type BatchValidity, UNDECIDED } from '../pipeline/batch-validity.ts'
import type { DecodedBatch } from '../pipeline/channel-reader.ts'
import { checkSingularBatch } from '../pipeline/check-batch.ts'
import { checkSpanBatch, checkSpanBatchPrefix } from '../pipeline/check-span-batch.ts'
import { itemsOf } from '../pipeline/span-blocks.ts'
import type { L1Reader, L2Reader } from '../ports.ts'
import type { UncheckedRule } from './inspection-event.ts'

export interface Verdict {
  readonly verdict: BatchValidity['kind']
  readonly reason: DropReason | null
  readonly acceptedBlocks: number
  /** From Holocene: blocks of the span after the first invalid one. */
  readonly givenUpBlocks: number
  readonly unchecked: readonly UncheckedRule[]
}

type Answer = (verdict: BatchValidity, acceptedBlocks?: number, givenUpBlocks?: number) => Verdict

export interface BatchJudge {
  /** `inclusion` is the L1 block that completed the batch. Errors of the ports propagate. */
  judge(batch: DecodedBatch, inclusion: L1BlockRef): Promise<Verdict>
  /** Caches an L1 block. */
  learn(block: L1BlockRef): void
}

/** The last accepted block. */
interface Head {
  readonly timestampSec: number
  readonly l1Origin: BlockId
}

/** Cached L1 blocks beyond the sequencing window. */
const SPARE_ORIGINS = 2
/** Safe blocks are not available here. */
const NO_L2: L2Reader = { payload: async () => null }

export function createBatchJudge(config: RollupConfig, l1: Pick<L1Reader, 'blockRef'>, startsAtGenesis: boolean): BatchJudge {
  const { genesis, blockTimeSec } = config
  let head: Head | null = startsAtGenesis ? { timestampSec: genesis.l2TimestampSec, l1Origin: genesis.l1 } : null
  /** False when batches from before the first L1 block read may be missing. */
  const complete = startsAtGenesis
  const known = new Map<number, L1BlockRef>()

  async function originAt(number: number): Promise<L1BlockRef | null> {
    const found = known.get(number) ?? (await l1.blockRef(number))
    if (found !== null) learn(found)
    return found
  }

  function learn(block: L1BlockRef): void {
    known.delete(block.number)
    known.set(block.number, block)
    for (const number of known.keys()) {
      if (known.size <= config.sequencingWindowL1Blocks + SPARE_ORIGINS) return
      known.delete(number)
    }
  }

  /** Returns consecutive L1 blocks, as many as a batch that ends at `lastEpoch` needs. */
  async function originsFrom(first: number, lastEpoch: number, inclusion: L1BlockRef): Promise<readonly L1BlockRef[]> {
    const wanted = Math.min(lastEpoch + 1, first + config.sequencingWindowL1Blocks + SPARE_ORIGINS)
    const end = Math.min(inclusion.number, Math.max(first + 1, wanted))
    const origins: L1BlockRef[] = []
    for (let number = first; number <= end; number++) {
      const origin = number === inclusion.number ? inclusion : await originAt(number)
      if (origin === null) break
      origins.push(origin)
    }
    return origins
  }

  function parentOf(facts: BatchFacts, before: Head): L2BlockRef {
    const number = genesis.l2.number + Math.floor((before.timestampSec - genesis.l2TimestampSec) / blockTimeSec)
    return {
      hash: facts.parentHash,
      number,
      parentHash: facts.parentHash,
      timestampSec: l2Time(before.timestampSec),
      l1Origin: before.l1Origin,
      sequenceNumber: 0,
    }
  }

  /** The parent that the batch claims, assumed to be in the same epoch. */
  function claimedHead(facts: BatchFacts): Head {
    const behind = Math.floor((facts.fromTimestamp - genesis.l2TimestampSec) / blockTimeSec) - 1
    return {
      timestampSec: genesis.l2TimestampSec + Math.max(0, behind) * blockTimeSec,
      l1Origin: { number: facts.fromEpoch, hash: facts.epochHash },
    }
  }

  function headFor(facts: BatchFacts, inclusion: L1BlockRef): { readonly head: Head; readonly unchecked: readonly UncheckedRule[] } {
    const claimed = { head: claimedHead(facts), unchecked: ['parent-hash', 'parent-epoch'] as const }
    if (head === null) return claimed
    const next = head.timestampSec + blockTimeSec
    if (facts.fromTimestamp > next) {
      const windowClosed = inclusion.number > head.l1Origin.number + config.sequencingWindowL1Blocks
      // Empty blocks, or batches from before the range, may fill the gap.
      if (windowClosed || !complete) return claimed
    }
    const overlaps = facts.fromTimestamp < next && facts.toTimestamp >= next
    return overlaps ? { head: claimed.head, unchecked: [...claimed.unchecked, 'overlap'] } : { head, unchecked: ['parent-hash'] }
  }

  return {
    learn,
    async judge(decoded, inclusion) {
      const facts = factsOf(decoded)
      const before = headFor(facts, inclusion)
      const answer: Answer = (verdict, acceptedBlocks = 0, givenUpBlocks = 0) => ({
        verdict: verdict.kind,
        reason: verdict.kind === 'drop' ? verdict.reason : null,
        acceptedBlocks,
        givenUpBlocks,
        unchecked: before.unchecked,
      })
      // The pipeline has not read this epoch yet.
      if (facts.toEpoch > inclusion.number) {
        return answer(decoded.kind === 'span' ? UNDECIDED : { kind: 'drop', reason: 'batch-origin-unknown' })
      }
      const parent = parentOf(facts, before.head)
      const context: BatchContext = {
        config,
        parent,
        inclusion,
        origins: await originsFrom(before.head.l1Origin.number, facts.toEpoch, inclusion),
      }
      if (decoded.kind === 'singular') {
        const verdict = checkSingularBatch(context, decoded.batch)
        if (verdict.kind === 'accept') head = { timestampSec: facts.fromTimestamp, l1Origin: decoded.batch.epoch }
        return answer(verdict, verdict.kind === 'accept' ? 1 : 0)
      }
      const strict = config.forks.inclusionRules(inclusionTime(inclusion)).strictOrdering
      const verdict = strict
        ? await checkSpanBatchPrefix(context, decoded.batch, NO_L2)
        : await checkSpanBatch(context, decoded.batch, NO_L2)
      if (verdict.kind !== 'accept') return answer(verdict)
      return judgeBlocks(afterHead(context, facts), decoded.batch, strict, answer)
    },
  }

  /** When a span overlaps the accepted blocks, judge only its new ones. */
  function afterHead(context: BatchContext, facts: BatchFacts): BatchContext {
    const first = context.origins[0]
    if (
      head === null ||
      first === undefined ||
      head.timestampSec <= context.parent.timestampSec ||
      facts.toTimestamp <= head.timestampSec
    ) {
      return context
    }
    return { ...context, parent: parentOf(facts, head), origins: context.origins.slice(Math.max(0, head.l1Origin.number - first.number)) }
  }

  /** From Holocene each block is judged on its own; before it the span is valid as a whole or not at all. */
  function judgeBlocks(context: BatchContext, batch: SpanBatch, strict: boolean, answer: Answer): Verdict {
    let { parent, origins } = context
    const newBlocks = (batch.last.timestampSec - parent.timestampSec) / blockTimeSec
    let accepted = 0
    for (const item of itemsOf(batch.blocks, origins, parent)) {
      const single = { ...item, parentHash: parent.hash }
      const verdict = strict ? checkSingularBatch({ ...context, parent, origins }, single) : null
      if (verdict !== null && verdict.kind !== 'accept') return answer(verdict, accepted, newBlocks - accepted - 1)
      origins = origins.slice(item.epoch.number - (origins[0] as L1BlockRef).number)
      parent = { ...parent, number: parent.number + 1, timestampSec: l2Time(item.timestampSec), l1Origin: item.epoch }
      head = { timestampSec: item.timestampSec, l1Origin: item.epoch }
      accepted++
    }
    return accepted === 0 ? answer({ kind: 'drop', reason: 'batch-origin-unknown' }) : answer({ kind: 'accept' }, accepted)
  }
}

interface BatchFacts {
  readonly parentHash: L2BlockRef['hash']
  readonly epochHash: L2BlockRef['hash']
  readonly fromTimestamp: number
  readonly toTimestamp: number
  readonly fromEpoch: number
  readonly toEpoch: number
}

function factsOf(decoded: DecodedBatch): BatchFacts {
  if (decoded.kind === 'singular') {
    const { parentHash, epoch, timestampSec } = decoded.batch
    const at = { fromTimestamp: timestampSec, toTimestamp: timestampSec, fromEpoch: epoch.number, toEpoch: epoch.number }
    return { parentHash, epochHash: epoch.hash, ...at }
  }
  const { first, last, parentCheck, l1OriginCheck } = decoded.batch
  return {
    parentHash: padded(parentCheck),
    epochHash: padded(l1OriginCheck),
    fromTimestamp: first.timestampSec,
    toTimestamp: last.timestampSec,
    fromEpoch: first.epochNumber,
    toEpoch: last.epochNumber,
  }
}

/** A span holds only the first 20 bytes of its parent's hash. */
const padded = (check: Uint8Array) => toHash(bytesToHex(concatBytes(check, new Uint8Array(12))))
