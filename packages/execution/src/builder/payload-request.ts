import type { BlockRules } from '@keelson/chainspec'
import type { Bytes20, PayloadAttributes, PayloadId, Transaction } from '@keelson/primitives'
import type { StateView } from '@keelson/state'
import type { SealedHeader } from '../chain/chain-reader.ts'
import type { ExecutedBlock } from '../import/executed-block.ts'
import type { DaLimits } from './da-limits.ts'

export interface PayloadRequest {
  readonly id: PayloadId
  readonly parent: SealedHeader
  readonly view: StateView
  readonly rules: BlockRules
  readonly attributes: PayloadAttributes
  readonly given: readonly { readonly tx: Transaction; readonly sender: Bytes20 }[]
  readonly daLimits: DaLimits
  /** Null except on L1 chains. */
  readonly extraData: Uint8Array | null
}

export interface SealedPayload {
  readonly executed: ExecutedBlock
  readonly blockValueWei: bigint
}
