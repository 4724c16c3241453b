/** When to look for what is final: when L1 finalized more, when derivation has caught up, and in steps while it catches up. */
import type { L1BlockRef } from '@keelson/primitives'
import type { L1View } from '../../l1/l1-view.ts'
import type { DriverDependencies } from '../driver-dependencies.ts'
import { findFinalized } from './finalizer.ts'

export interface Finality {
  /** Something may be final now. */
  readonly pending: boolean
  /** L1 finalized another block, or derivation has caught up. */
  look(): void
  /** A block was derived while reading here: each look costs requests, so only every so often. */
  derivedAt(l1: L1BlockRef | null): void
  /** A reset: looks again from the start. */
  reset(): void
  /** False when nothing new is final. Throws what `findFinalized` and the engine throw. */
  tryFinalize(): Promise<boolean>
}

const STEP_L1_BLOCKS = 16

export function createFinality(l1: Pick<L1View, 'finalized'>, deps: DriverDependencies): Finality {
  const { engine, metrics, refs, safeHeads } = deps
  let pending = false
  let triedAt = 0
  return {
    get pending() {
      return pending
    },
    look() {
      pending = l1.finalized !== null
    },
    derivedAt(at) {
      const number = at?.number ?? 0
      if (l1.finalized === null || number > l1.finalized.number || number < triedAt + STEP_L1_BLOCKS) return
      triedAt = number
      pending = true
    },
    reset() {
      pending = l1.finalized !== null
      triedAt = 0
    },
    async tryFinalize() {
      pending = false
      const { heads } = engine
      const finalizedL1 = l1.finalized
      if (heads === null || finalizedL1 === null) return false
      const found = await findFinalized({ l1: deps.l1, l2: refs, safeHeads }, { finalizedL1, finalized: heads.finalized, safe: heads.safe })
      if (found === null) return false
      engine.finalize(found.block, found.derivedFrom, finalizedL1)
      await engine.flush()
      metrics.heads(engine.heads ?? heads)
      return true
    },
  }
}
