/** Payload attributes of the next block. protocol/derivation.md#deriving-payload-attributes */
import type { L1ChainConfig, RollupConfig } from '@keelson/chainspec'
import type { BlockId, L2BlockRef, PayloadAttributes } from '@keelson/primitives'
import { DerivationError } from './errors.ts'
import type { L1Reader, L2Reader } from './ports.ts'

export interface AttributesBuilder {
  /**
   * Attributes of the block after `parent` with L1 origin `epoch`, holding everything L1 forces into it (L1 info,
   * deposits, upgrade transactions) and `noTxPool: true`. Derivation appends the batch's transactions; a sequencer
   * may clear `noTxPool` where `sequencerMayIncludeTransactions` allows it.
   * Throws DerivationError: `derivation/l1-reorg`, `derivation/l2-parent-mismatch` (reset), `derivation/l2-unavailable`
   * (temporary), `derivation/deposit-malformed` (critical).
   */
  build(parent: L2BlockRef, epoch: BlockId): Promise<PayloadAttributes>
}

export function createAttributesBuilder(
  _config: RollupConfig,
  _l1Chain: L1ChainConfig,
  _deps: { readonly l1: L1Reader; readonly l2: L2Reader },
): AttributesBuilder {
  throw new DerivationError('derivation/internal', 'critical', 'the attributes builder is not assembled yet')
}
