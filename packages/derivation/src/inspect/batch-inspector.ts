/** Before Holocene, batches that are too early are kept. */
import type { RollupConfig } from '@keelson/chainspec'
import type { L1BlockRef } from '@keelson/primitives'
import type { ChannelId } from '../codec/channel/frame.ts'
import type { DecodedBatch } from '../pipeline/channel-reader.ts'
import type { BatchJudge, Verdict } from './batch-judge.ts'
import { describeBatch } from './describe-batch.ts'
import type { InspectionContext } from './inspection-context.ts'
import type { InspectionLog } from './inspection-log.ts'

interface WaitingBatch {
  readonly batch: number
  readonly decoded: DecodedBatch
  readonly inclusion: L1BlockRef
}

const MAX_WAITING = 10_000

export class BatchInspector {
  readonly #config: RollupConfig
  readonly #context: InspectionContext
  readonly #judge: BatchJudge
  readonly #log: InspectionLog
  #waiting: WaitingBatch[] = []
  #count = 0

  constructor(config: RollupConfig, context: InspectionContext, judge: BatchJudge, log: InspectionLog) {
    this.#config = config
    this.#context = context
    this.#judge = judge
    this.#log = log
  }

  /** From Holocene an invalid batch flushes its channel. */
  async read(channel: ChannelId, decoded: readonly DecodedBatch[]): Promise<void> {
    let flushed = false
    for (const batch of decoded) {
      const number = this.#count++
      this.#log.add(describeBatch(this.#config, batch, { batch: number, l1Block: this.#log.l1Block, channel }))
      if (flushed) this.#addVerdict(number, { verdict: 'drop', reason: 'channel-flushed', acceptedBlocks: 0, unchecked: [] })
      else flushed = (await this.#judgeNew(number, batch)).verdict === 'drop' && this.#context.rules.strictOrdering
    }
  }

  discard(): void {
    for (const { batch } of this.#waiting) {
      this.#addVerdict(batch, { verdict: 'drop', reason: 'fork-activated', acceptedBlocks: 0, unchecked: [] })
    }
    this.#waiting = []
  }

  async #judgeNew(batch: number, decoded: DecodedBatch): Promise<Verdict> {
    const entry = { batch, decoded, inclusion: this.#context.origin }
    const verdict = await this.#judge.judge(decoded, entry.inclusion)
    this.#addVerdict(batch, verdict)
    if (waits(verdict) && !this.#context.rules.strictOrdering) this.#waiting = [...this.#waiting, entry].slice(-MAX_WAITING)
    if (verdict.verdict === 'accept') await this.#judgeWaiting()
    return verdict
  }

  async #judgeWaiting(): Promise<void> {
    for (let moved = true; moved && this.#waiting.length > 0; ) {
      moved = false
      const kept: WaitingBatch[] = []
      for (const entry of this.#waiting) {
        const verdict = await this.#judge.judge(entry.decoded, entry.inclusion)
        moved ||= verdict.verdict === 'accept'
        if (waits(verdict)) kept.push(entry)
        else this.#addVerdict(entry.batch, verdict)
      }
      this.#waiting = kept
    }
  }

  #addVerdict(batch: number, { givenUpBlocks, ...verdict }: Omit<Verdict, 'givenUpBlocks'> & Partial<Verdict>): void {
    this.#log.add({ kind: 'verdict', batch, l1Block: this.#log.l1Block, ...verdict })
    if (givenUpBlocks !== undefined && givenUpBlocks > 0) {
      this.#log.addDrops([{ stage: 'batch-stream', reason: 'span-batch-given-up', details: { batch, blocks: givenUpBlocks } }])
    }
  }
}

const waits = ({ verdict }: Verdict) => verdict === 'future' || verdict === 'undecided'
