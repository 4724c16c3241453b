/**
 * Only the leader records blocks. A block is published when it is recorded, and the key signs one block at a height, while the block's
 * L1 origin is on L1.
 */
import type { Publication, Recording } from '../roles/sequencer-cluster.ts'
import type { IsOnL1 } from './published-judge.ts'
import type { ReportViolation } from './violation.ts'

export interface LeadersView {
  /** Since the last look. */
  readonly recordings: readonly Recording[]
  readonly publications: readonly Publication[]
  readonly isOnL1: IsOnL1
}

/** Two hours of blocks, longer than any of them can wait to be safe here. */
const MAX_SIGNED = 3_600

export class LeadersJudge {
  readonly #report: ReportViolation
  readonly #signed = new Map<number, Publication>()

  constructor(report: ReportViolation) {
    this.#report = report
  }

  look({ recordings, publications, isOnL1 }: LeadersView): void {
    for (const { by, leader } of recordings) {
      if (by !== leader) this.#report('only the leader records blocks', `${by} records while ${leader ?? 'nobody'} leads`)
    }
    for (const publication of publications) {
      // A leader that has not seen a reorg yet seals on the old branch, and another may already have the new one recorded.
      if (isOnL1(publication.l1Origin)) this.#judge(publication, isOnL1)
    }
  }

  #judge(publication: Publication, isOnL1: IsOnL1): void {
    const { by, number, hash, recorded } = publication
    if (recorded !== hash)
      this.#report('blocks are recorded before they are published', `${number}: ${by} has ${hash}, the record ${recorded}`)
    const before = this.#signed.get(number)
    if (before !== undefined && before.hash !== hash && isOnL1(before.l1Origin)) {
      this.#report('the key signs one block at a height', `${number}: ${before.hash}, and then ${hash} by ${by}`)
    }
    this.#signed.set(number, publication)
    if (this.#signed.size > MAX_SIGNED) this.#signed.delete(this.#signed.keys().next().value as number)
  }
}
