import type { InclusionRules, RollupConfig } from '@keelson/chainspec'
import type { ErrorDetails, L1BlockRef } from '@keelson/primitives'
import type { DropReason, StageName } from '../observer.ts'

export interface StageContext {
  readonly config: RollupConfig
  readonly origin: L1BlockRef
  readonly rules: InclusionRules
  drop(stage: StageName, reason: DropReason, details?: ErrorDetails): void
}
