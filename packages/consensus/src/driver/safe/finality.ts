import type { L1Reader } from '@keelson/derivation'
import type { BlockId, L1BlockRef, L2BlockRef } from '@keelson/primitives'
import { describeBlock } from '../../blocks/l2-heads.ts'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import { ConsensusError } from '../../errors.ts'
import type { L1View } from '../../l1/l1-view.ts'
import type { SafeHeadStore } from '../../store/safe-head-store.ts'
import type { EngineControl } from '../engine/engine-control.ts'

export interface FinalityDependencies {
  readonly view: Pick<L1View, 'finalized'>
  readonly l1: Pick<L1Reader, 'blockRef'>
  readonly refs: Pick<L2Refs, 'find'>
  readonly safeHeads: Pick<SafeHeadStore, 'atOrBefore'>
  readonly engine: Pick<EngineControl, 'heads' | 'finalize' | 'flush'>
}

/** While derivation catches up, finality is checked once per this many L1 blocks, because each check costs requests. */
const STEP_L1_BLOCKS = 16

/** specs: protocol/derivation.md#engine-queue */
export class Finality {
  readonly #deps: FinalityDependencies
  #pending = false
  #triedAt = 0

  constructor(deps: FinalityDependencies) {
    this.#deps = deps
  }

  get pending(): boolean {
    return this.#pending
  }

  check(): void {
    this.#pending = this.#deps.view.finalized !== null
  }

  derivedAt(at: L1BlockRef | null): void {
    const number = at?.number ?? 0
    const { finalized } = this.#deps.view
    if (finalized === null || number > finalized.number || number < this.#triedAt + STEP_L1_BLOCKS) return
    this.#triedAt = number
    this.#pending = true
  }

  reset(): void {
    this.check()
    this.#triedAt = 0
  }

  /** Throws ConsensusError `consensus/l1-reorg` (reset), and the engine's errors. */
  async tryFinalize(): Promise<boolean> {
    this.#pending = false
    const { engine, view } = this.#deps
    const finalizedL1 = view.finalized
    if (engine.heads === null || finalizedL1 === null) return false
    const found = await this.#findFinalized(finalizedL1, engine.heads)
    if (found === null) return false
    engine.finalize(found.block, found.derivedFrom, finalizedL1)
    await engine.flush()
    return true
  }

  async #findFinalized(
    finalizedL1: L1BlockRef,
    heads: { readonly finalized: L2BlockRef; readonly safe: L2BlockRef },
  ): Promise<{ readonly block: L2BlockRef; readonly derivedFrom: BlockId } | null> {
    const { l1, refs, safeHeads } = this.#deps
    const entry = await safeHeads.atOrBefore(finalizedL1.number)
    if (entry === null || entry.l2.number <= heads.finalized.number || entry.l2.number > heads.safe.number) return null
    const derivedFrom = await l1.blockRef(entry.l1.number)
    if (derivedFrom?.hash !== entry.l1.hash) {
      throw new ConsensusError(
        'consensus/l1-reorg',
        'reset',
        `L2 block ${describeBlock(entry.l2)} was derived from L1 block ${describeBlock(entry.l1)}, L1 now has ${derivedFrom?.hash ?? 'no such block'}`,
        { number: entry.l1.number, hash: entry.l1.hash },
      )
    }
    const block = await refs.find(entry.l2.number)
    return block?.hash === entry.l2.hash ? { block, derivedFrom: entry.l1 } : null
  }
}
