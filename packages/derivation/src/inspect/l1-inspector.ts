/** Runs the stages of derivation without an L2 node and reports what they see or drop. */
import type { RollupConfig } from '@keelson/chainspec'
import type { L1BlockRef, SystemConfig } from '@keelson/primitives'
import { DerivationError } from '../errors.ts'
import { createL1Traversal, type L1Traversal } from '../pipeline/l1-traversal.ts'
import type { BlobReader, Decompressor, L1Reader, SenderRecovery } from '../ports.ts'
import { BatchInspector } from './batch-inspector.ts'
import { BatchJudge } from './batch-judge.ts'
import { ChannelInspector } from './channel-inspector.ts'
import { inspectFrames } from './inspect-frames.ts'
import { inspectTransactions } from './inspect-transactions.ts'
import { createInspectionContext, type InspectionContext } from './inspection-context.ts'
import type { InspectionEvent } from './inspection-event.ts'
import { InspectionLog } from './inspection-log.ts'

export interface L1InspectorDependencies {
  readonly l1: Pick<L1Reader, 'blockRef' | 'transactions' | 'receipts'>
  readonly blobs: BlobReader
  readonly decompressor: Decompressor
  readonly crypto: SenderRecovery
}

export class L1Inspector {
  readonly #deps: L1InspectorDependencies
  readonly #context: InspectionContext
  readonly #log: InspectionLog
  readonly #traversal: L1Traversal
  readonly #judge: BatchJudge
  readonly #batches: BatchInspector
  readonly #channels: ChannelInspector
  #begun = false

  /** Block `start` is read first; `systemConfig` is the configuration after it. */
  constructor(
    config: RollupConfig,
    start: { readonly l1Origin: L1BlockRef; readonly systemConfig: SystemConfig },
    deps: L1InspectorDependencies,
  ) {
    this.#deps = deps
    this.#context = createInspectionContext(config, start.l1Origin)
    this.#log = new InspectionLog(this.#context)
    const l1 = { ...deps.l1, header: async () => null }
    this.#traversal = createL1Traversal(config, l1, { dropped: (event) => this.#log.addDrops([event]) })
    this.#traversal.reset(start.l1Origin, start.systemConfig)
    this.#judge = new BatchJudge(config, deps.l1, start.l1Origin.number <= config.genesis.l1.number)
    this.#batches = new BatchInspector(config, this.#context, this.#judge, this.#log)
    this.#channels = new ChannelInspector(this.#context, deps.decompressor, this.#batches, this.#log)
  }

  get l1Origin(): L1BlockRef {
    return this.#context.origin
  }

  /** Null when L1 has no next block yet. Throws DerivationError or a port's error. */
  async next(): Promise<readonly InspectionEvent[] | null> {
    if (this.#begun && !(await this.#advance())) return null
    this.#begun = true
    this.#judge.learn(this.#context.origin)
    await this.#channels.feed(null)
    await this.#readBlock()
    return this.#log.take()
  }

  finish(): readonly InspectionEvent[] {
    this.#channels.finish()
    return this.#log.take()
  }

  async #advance(): Promise<boolean> {
    const wasStrict = this.#context.rules.strictOrdering
    if (!(await this.#traversal.advance())) return false
    this.#context.moveTo(this.#traversal.origin)
    if (this.#context.rules.strictOrdering !== wasStrict) {
      this.#channels.discard()
      this.#batches.discard()
    }
    return true
  }

  async #readBlock(): Promise<void> {
    const { number: l1Block, hash: blockHash } = this.#context.origin
    const transactions = await this.#deps.l1.transactions(blockHash)
    if (transactions === null) {
      throw new DerivationError('derivation/l1-reorg', 'reset', `L1 no longer knows block ${l1Block} (${blockHash})`)
    }
    const inbox = await inspectTransactions(this.#context, this.#traversal.systemConfig, transactions, this.#deps)
    for (const { seen, hash, data, partial } of inbox) {
      const inspected = []
      for (const item of data) inspected.push(await inspectFrames(this.#context, item))
      const malformed = inspected.flatMap((item) => item.malformed ?? [])
      const frames = inspected.flatMap((item) => item.frames)
      // The transaction's event names the first reason.
      const more = seen.dropped === null ? malformed.slice(1) : malformed
      this.#log.add({ ...seen, frames: frames.length, dropped: seen.dropped ?? malformed[0]?.reason ?? null })
      this.#log.addDrops([...partial, ...more], { transaction: hash })
      for (const { frame, dropped } of frames) {
        const at = this.#log.length
        const refused = dropped ?? (await this.#channels.feed(frame))
        const { channelId: channel, number, isLast: last } = frame
        const bytes = frame.data.length
        this.#log.insert(at, { kind: 'frame', l1Block, transaction: hash, channel, number, bytes, last, dropped: refused })
      }
    }
  }
}
