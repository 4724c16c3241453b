/** protocol/derivation.md#l2-chain-derivation-pipeline */
import type { RollupConfig } from '@keelson/chainspec'
import { inclusionTime, type L1BlockRef, type L2BlockRef, type SystemConfig } from '@keelson/primitives'
import type { AttributesBuilder } from '../attributes-builder.ts'
import { type DerivationObserver, SILENT_OBSERVER } from '../observer.ts'
import type { BlobReader, Decompressor, L1Reader, L2Reader, SenderRecovery } from '../ports.ts'
import { createAttributesQueue } from './attributes-queue.ts'
import { createBatchQueue } from './batch-queue.ts'
import { createStrictBatchStage } from './batch-stage.ts'
import { createChannelAssembler } from './channel-assembler.ts'
import { createChannelBank } from './channel-bank.ts'
import { createChannelReader } from './channel-reader.ts'
import { createFrameQueue } from './frame-queue.ts'
import { createL1Retrieval } from './l1-retrieval.ts'
import { createL1Traversal } from './l1-traversal.ts'
import { createOriginWindow } from './origin-window.ts'
import type { DerivedAttributes, Stage } from './stage.ts'
import type { StageContext } from './stage-context.ts'

export type StepResult =
  | { readonly kind: 'attributes'; readonly derived: DerivedAttributes }
  | { readonly kind: 'advanced-origin'; readonly l1Origin: L1BlockRef }
  | { readonly kind: 'again' }
  /** All L1 blocks are read; step again when the L1 head changes. */
  | { readonly kind: 'awaiting-l1' }

export interface DerivationPipeline {
  readonly l1Origin: L1BlockRef
  /**
   * Does one unit of work on top of `parent`, the safe head (before Holocene: pending safe head). A second call with the same
   * `parent` after attributes means that the engine rejected them. Throws DerivationError or a port's error; both carry
   * `severity`.
   */
  step(parent: L2BlockRef): Promise<StepResult>
  /** `l1Origin` is read first; `systemConfig` is the configuration after it. */
  reset(to: { readonly l1Origin: L1BlockRef; readonly systemConfig: SystemConfig }): void
  /** Drops the rest of the channel after a deposits-only block (Holocene). */
  flushChannel(): void
}

export interface DerivationDependencies {
  readonly l1: L1Reader
  readonly blobs: BlobReader
  readonly l2: L2Reader
  readonly decompressor: Decompressor
  readonly crypto: SenderRecovery
  readonly attributes: AttributesBuilder
  readonly observer?: DerivationObserver
}

export function createDerivationPipeline(config: RollupConfig, deps: DerivationDependencies): DerivationPipeline {
  const observer = deps.observer ?? SILENT_OBSERVER
  const traversal = createL1Traversal(config, deps.l1, observer)
  const rules = () => config.forks.inclusionRules(inclusionTime(traversal.origin))
  const context: StageContext = {
    config,
    get origin() {
      return traversal.origin
    },
    get rules() {
      return rules()
    },
    drop(stage, reason, details = {}) {
      observer.dropped({ stage, reason, l1Origin: traversal.origin, details })
    },
  }

  const retrieval = createL1Retrieval(context, traversal, deps)
  const frames = createFrameQueue(context, retrieval)
  const bank = createChannelBank(context, frames)
  const assembler = createChannelAssembler(context, frames)
  const channels: Stage<Uint8Array> = { pull: () => (rules().strictOrdering ? assembler : bank).pull() }
  const reader = createChannelReader(context, channels, deps.decompressor)
  const window = createOriginWindow()
  const queue = createBatchQueue(context, window, reader, deps.l2)
  const strict = createStrictBatchStage(context, window, reader, deps.l2)
  const batches = () => (rules().strictOrdering ? strict : queue)
  const attributes = createAttributesQueue(context, (parent) => batches().pull(parent), deps.attributes)

  async function advance(): Promise<StepResult> {
    const wasStrict = rules().strictOrdering
    if (!(await traversal.advance())) return { kind: 'awaiting-l1' }
    if (rules().strictOrdering !== wasStrict) {
      // Holocene swaps the stages and drops their data, but keeps the L1 origins for the first new channel.
      frames.discard()
      bank.discard()
      queue.discard()
    }
    return { kind: 'advanced-origin', l1Origin: traversal.origin }
  }

  return {
    get l1Origin() {
      return traversal.origin
    },
    async step(parent) {
      const pulled = await attributes.pull(parent)
      if (pulled.kind === 'item') return { kind: 'attributes', derived: pulled.item }
      return pulled.kind === 'again' ? pulled : advance()
    },
    reset({ l1Origin, systemConfig }) {
      traversal.reset(l1Origin, systemConfig)
      window.reset(l1Origin)
      for (const stage of [retrieval, frames, bank, assembler, reader, queue, strict, attributes]) stage.reset()
    },
    flushChannel() {
      attributes.refused()
      batches().flushChannel()
    },
  }
}
