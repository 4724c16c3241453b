/**
 * Only the leader records blocks. Unless L1 is reorganized, a block is published when it is recorded, and the key signs one block at a
 * height.
 */
import type { Hash } from '@keelson/primitives'
import type { Publication, Recording } from '../roles/sequencer-cluster.ts'
import { ReorgPeace, type ReorgView } from './reorg-peace.ts'
import type { ReportViolation } from './violation.ts'

export interface LeadersView extends ReorgView {
  /** Since the last look. */
  readonly recordings: readonly Recording[]
  readonly publications: readonly Publication[]
}

export class LeadersJudge {
  readonly #report: ReportViolation
  readonly #peace = new ReorgPeace()
  readonly #signed = new Map<number, Hash>()

  constructor(report: ReportViolation) {
    this.#report = report
  }

  look(view: LeadersView): void {
    for (const { by, leader } of view.recordings) {
      if (by !== leader) this.#report('only the leader records blocks', `${by} records while ${leader ?? 'nobody'} leads`)
    }
    if (this.#peace.lasts(view)) this.#signed.clear()
    else for (const publication of view.publications) this.#judge(publication)
  }

  #judge({ by, number, hash, recorded }: Publication): void {
    if (recorded !== hash)
      this.#report('blocks are recorded before they are published', `${number}: ${by} has ${hash}, the record ${recorded}`)
    const before = this.#signed.get(number) ?? hash
    if (before !== hash) this.#report('the key signs one block at a height', `${number}: ${before}, and then ${hash} by ${by}`)
    this.#signed.set(number, before)
  }
}
