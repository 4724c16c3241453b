import type { RollupConfig } from '@keelson/chainspec'
import { type ErrorDetails, inclusionTime, type L1BlockRef } from '@keelson/primitives'
import type { DropReason, StageName } from '../observer.ts'
import type { StageContext } from '../pipeline/stage-context.ts'

export interface Drop {
  readonly stage: StageName
  readonly reason: DropReason
  readonly details: ErrorDetails
}

export interface InspectionContext extends StageContext {
  moveTo(origin: L1BlockRef): void
  takeDrops(): readonly Drop[]
}

export function createInspectionContext(config: RollupConfig, start: L1BlockRef): InspectionContext {
  let origin = start
  let drops: Drop[] = []
  return {
    config,
    get origin() {
      return origin
    },
    get rules() {
      return config.forks.inclusionRules(inclusionTime(origin))
    },
    drop(stage, reason, details = {}) {
      drops.push({ stage, reason, details })
    },
    moveTo(next) {
      origin = next
    },
    takeDrops() {
      const taken = drops
      drops = []
      return taken
    },
  }
}
