/** A block is proposed only when its L1 origin is final; the block itself is final later still. */
import type { Hash } from '@keelson/primitives'
import type { Proposal } from '../l1/l1-state.ts'
import type { SimulatedNode } from '../roles/simulated-node.ts'
import { ancestorOf, originOf } from './ancestor.ts'
import type { ReportViolation } from './violation.ts'

export interface ProposalsView {
  /** Those on L1 now. */
  readonly proposals: readonly Proposal[]
  readonly finalizedL1Number: number
  /** The number of the L1 origin of a block on the chain of a node; null while no node can say. */
  originNumber(l2BlockNumber: number): number | null
}

export class EarlyProposalsJudge {
  readonly #report: ReportViolation
  readonly #judged = new Set<Hash>()

  constructor(report: ReportViolation) {
    this.#report = report
  }

  look({ proposals, finalizedL1Number, originNumber }: ProposalsView): void {
    for (let index = proposals.length - 1; index >= 0; index--) {
      const { outputRoot, l2BlockNumber } = proposals[index] as Proposal
      // L1 replaces no proposal that is older than one that was judged, but a reorg can put others above it.
      if (this.#judged.has(outputRoot)) return
      const origin = originNumber(l2BlockNumber)
      if (origin === null) return
      this.#judged.add(outputRoot)
      if (origin <= finalizedL1Number) continue
      this.#report(
        'only final blocks are proposed',
        `block ${l2BlockNumber} is on L1 as ${outputRoot}; its origin is L1 block ${origin}, and ${finalizedL1Number} is final`,
      )
    }
  }
}

/** Null when no running node has the block. */
export function originNumberAt(nodes: readonly SimulatedNode[], l2BlockNumber: number): number | null {
  for (const { running } of nodes) {
    const unsafe = running?.consensus.driver.heads?.unsafe
    if (running === null || unsafe === undefined || unsafe.number < l2BlockNumber) continue
    const { chain } = running.execution
    const hash = ancestorOf(chain, unsafe, l2BlockNumber)
    const origin = hash === null ? null : originOf(chain, hash)
    if (origin !== null) return origin.number
  }
  return null
}
