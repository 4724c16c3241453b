/**
 * Without an L2 node, a batch's parent is the last accepted block or the one that the batch claims; verdicts therefore list
 * unchecked rules. protocol/derivation.md#batch-queue
 */
import type { RollupConfig } from '@keelson/chainspec'
import { type BlockId, bytesToHex, concatBytes, inclusionTime, type L1BlockRef, type L2BlockRef, l2Time, toHash } from '@keelson/primitives'
import type { SingularBatch } from '../codec/batch/singular-batch.ts'
import type { SpanBatch } from '../codec/span-batch/span-batch-cursor.ts'
import type { DropReason } from '../observer.ts'
import { type BatchContext, type BatchValidity, UNDECIDED } from '../pipeline/batch-validity.ts'
import type { DecodedBatch } from '../pipeline/channel-reader.ts'
import { checkSingularBatch } from '../pipeline/check-batch.ts'
import { checkSpanBatch, checkSpanBatchPrefix } from '../pipeline/check-span-batch.ts'
import { itemsOf } from '../pipeline/span-blocks.ts'
import type { L1Reader, L2Reader } from '../ports.ts'
import type { UncheckedRule } from './inspection-event.ts'
import { KnownOrigins } from './known-origins.ts'

export interface Verdict {
  readonly verdict: BatchValidity['kind']
  readonly reason: DropReason | null
  readonly acceptedBlocks: number
  /** From Holocene: number of span blocks after the first invalid one. */
  readonly givenUpBlocks: number
  readonly unchecked: readonly UncheckedRule[]
}

type Answer = (verdict: BatchValidity, acceptedBlocks?: number, givenUpBlocks?: number) => Verdict

interface Head {
  readonly timestampSec: number
  readonly l1Origin: BlockId
}

const NO_L2: L2Reader = { payload: async () => null }

export class BatchJudge {
  readonly #config: RollupConfig
  readonly #origins: KnownOrigins
  /** False if batches from L1 blocks before the inspected range may be missing. */
  readonly #complete: boolean
  #head: Head | null

  constructor(config: RollupConfig, l1: Pick<L1Reader, 'blockRef'>, startsAtGenesis: boolean) {
    this.#config = config
    this.#origins = new KnownOrigins(l1, config.sequencingWindowL1Blocks)
    this.#complete = startsAtGenesis
    this.#head = startsAtGenesis ? { timestampSec: config.genesis.l2TimestampSec, l1Origin: config.genesis.l1 } : null
  }

  learn(block: L1BlockRef): void {
    this.#origins.learn(block)
  }

  async judge(decoded: DecodedBatch, inclusion: L1BlockRef): Promise<Verdict> {
    const facts = factsOf(decoded)
    const before = this.#headFor(facts, inclusion)
    const answer: Answer = (verdict, acceptedBlocks = 0, givenUpBlocks = 0) => ({
      verdict: verdict.kind,
      reason: verdict.kind === 'drop' ? verdict.reason : null,
      acceptedBlocks,
      givenUpBlocks,
      unchecked: before.unchecked,
    })
    if (facts.toEpoch > inclusion.number) {
      return answer(decoded.kind === 'span' ? UNDECIDED : { kind: 'drop', reason: 'batch-origin-unknown' })
    }
    const context: BatchContext = {
      config: this.#config,
      parent: this.#parentOf(facts, before.head),
      inclusion,
      origins: await this.#origins.from(before.head.l1Origin.number, facts.toEpoch, inclusion),
    }
    return decoded.kind === 'singular'
      ? this.#judgeSingular(context, decoded.batch, answer)
      : this.#judgeSpan(context, decoded.batch, facts, answer)
  }

  #judgeSingular(context: BatchContext, batch: SingularBatch, answer: Answer): Verdict {
    const verdict = checkSingularBatch(context, batch)
    if (verdict.kind !== 'accept') return answer(verdict)
    this.#head = { timestampSec: batch.timestampSec, l1Origin: batch.epoch }
    return answer(verdict, 1)
  }

  async #judgeSpan(context: BatchContext, batch: SpanBatch, facts: BatchFacts, answer: Answer): Promise<Verdict> {
    const strict = this.#config.forks.inclusionRules(inclusionTime(context.inclusion)).strictOrdering
    const verdict = strict ? await checkSpanBatchPrefix(context, batch, NO_L2) : await checkSpanBatch(context, batch, NO_L2)
    if (verdict.kind !== 'accept') return answer(verdict)
    return this.#judgeBlocks(this.#afterHead(context, facts), batch, strict, answer)
  }

  #headFor(facts: BatchFacts, inclusion: L1BlockRef): { readonly head: Head; readonly unchecked: readonly UncheckedRule[] } {
    const head = this.#head
    const claimed = { head: this.#claimedHead(facts), unchecked: ['parent-hash', 'parent-epoch'] as const }
    if (head === null) return claimed
    const next = head.timestampSec + this.#config.blockTimeSec
    if (facts.fromTimestamp > next) {
      const windowClosed = inclusion.number > head.l1Origin.number + this.#config.sequencingWindowL1Blocks
      // Empty blocks, or batches from before the range, may fill the gap.
      if (windowClosed || !this.#complete) return claimed
    }
    const overlaps = facts.fromTimestamp < next && facts.toTimestamp >= next
    return overlaps ? { head: claimed.head, unchecked: [...claimed.unchecked, 'overlap'] } : { head, unchecked: ['parent-hash'] }
  }

  /** Assumes that the claimed parent is in the same epoch. */
  #claimedHead(facts: BatchFacts): Head {
    const { genesis, blockTimeSec } = this.#config
    const behind = Math.floor((facts.fromTimestamp - genesis.l2TimestampSec) / blockTimeSec) - 1
    return {
      timestampSec: genesis.l2TimestampSec + Math.max(0, behind) * blockTimeSec,
      l1Origin: { number: facts.fromEpoch, hash: facts.epochHash },
    }
  }

  #parentOf(facts: BatchFacts, before: Head): L2BlockRef {
    const { genesis, blockTimeSec } = this.#config
    return {
      hash: facts.parentHash,
      number: genesis.l2.number + Math.floor((before.timestampSec - genesis.l2TimestampSec) / blockTimeSec),
      parentHash: facts.parentHash,
      timestampSec: l2Time(before.timestampSec),
      l1Origin: before.l1Origin,
      sequenceNumber: 0,
    }
  }

  #afterHead(context: BatchContext, facts: BatchFacts): BatchContext {
    const head = this.#head
    const first = context.origins[0]
    if (
      head === null ||
      first === undefined ||
      head.timestampSec <= context.parent.timestampSec ||
      facts.toTimestamp <= head.timestampSec
    ) {
      return context
    }
    const origins = context.origins.slice(Math.max(0, head.l1Origin.number - first.number))
    return { ...context, parent: this.#parentOf(facts, head), origins }
  }

  /** Before Holocene one bad block invalidates the span. */
  #judgeBlocks(context: BatchContext, batch: SpanBatch, strict: boolean, answer: Answer): Verdict {
    let { parent, origins } = context
    const newBlocks = (batch.last.timestampSec - parent.timestampSec) / this.#config.blockTimeSec
    let accepted = 0
    for (const item of itemsOf(batch.blocks, origins, parent)) {
      const single = { ...item, parentHash: parent.hash }
      const verdict = strict ? checkSingularBatch({ ...context, parent, origins }, single) : null
      if (verdict !== null && verdict.kind !== 'accept') return answer(verdict, accepted, newBlocks - accepted - 1)
      origins = origins.slice(item.epoch.number - (origins[0] as L1BlockRef).number)
      parent = { ...parent, number: parent.number + 1, timestampSec: l2Time(item.timestampSec), l1Origin: item.epoch }
      this.#head = { timestampSec: item.timestampSec, l1Origin: item.epoch }
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
