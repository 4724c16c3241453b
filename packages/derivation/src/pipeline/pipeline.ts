/** The derivation pipeline as its driver sees it: a stepwise function from L1 to attributes. protocol/derivation.md#l2-chain-derivation-pipeline */
import type { RollupConfig } from '@keelson/chainspec'
import type { L1BlockRef, L2BlockRef, SystemConfig } from '@keelson/primitives'
import type { AttributesBuilder } from '../attributes-builder.ts'
import { DerivationError } from '../errors.ts'
import type { DerivationObserver } from '../observer.ts'
import type { BlobReader, Decompressor, L1Reader, L2Reader, SenderRecovery } from '../ports.ts'
import type { DerivedAttributes } from './stage.ts'

export type StepResult =
  | { readonly kind: 'attributes'; readonly derived: DerivedAttributes }
  | { readonly kind: 'advanced-origin'; readonly l1Origin: L1BlockRef }
  /** Something moved inside; step again. */
  | { readonly kind: 'again' }
  /** All of L1 is read; step again when its head has moved. */
  | { readonly kind: 'awaiting-l1' }

export interface DerivationPipeline {
  /** The L1 block whose data is being read. */
  readonly l1Origin: L1BlockRef
  /**
   * One unit of work towards the block after `parent` (the safe, or before Holocene pending-safe, head). The same
   * attributes come again until `parent` moves. Throws DerivationError, or what a port threw; both carry `severity`.
   */
  step(parent: L2BlockRef): Promise<StepResult>
  /** Starts over at `l1Origin`, whose data is read first; `systemConfig` is the one in force after that L1 block. */
  reset(to: { readonly l1Origin: L1BlockRef; readonly systemConfig: SystemConfig }): void
  /** Drops the rest of the current channel, as when its payload was replaced by a deposits-only block (Holocene). */
  flushChannel(): void
}

export interface DerivationDependencies {
  readonly l1: L1Reader
  readonly blobs: BlobReader
  readonly l2: L2Reader
  readonly decompressor: Decompressor
  /** Any `Crypto` will do. */
  readonly crypto: SenderRecovery
  readonly attributes: AttributesBuilder
  readonly observer?: DerivationObserver
}

/** The pipeline must be reset before its first step. */
export function createDerivationPipeline(_config: RollupConfig, _deps: DerivationDependencies): DerivationPipeline {
  throw new DerivationError('derivation/internal', 'critical', 'the pipeline is not assembled yet')
}
