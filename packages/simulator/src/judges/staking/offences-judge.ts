/** Keys that signed twice for an epoch are slashed, soon after the last fault. */
import type { Address } from '@keelson/primitives'
import type { ReportViolation } from '../violation.ts'

/**
 * A watcher that failed to report tries again after ten minutes at most. Two minutes are left for an epoch in which the offender
 * signs again, and for the report.
 */
export const REPORT_MS = 12 * 60_000

export interface OffencesView {
  readonly nowMs: number
  /** End of the last fault. */
  readonly lastFaultMs: number
  /** Keys that sign twice in every epoch, with the time at which they began. */
  readonly offenders: ReadonlyMap<Address, number>
  /** Keys for which a running honest validator's node has heard two attestations of one epoch. */
  readonly heard: readonly Address[]
  /** Whether the chain has slashed a key. */
  isSlashed(key: Address): boolean
}

const RULE = 'a key that signs twice is slashed'

export class OffencesJudge {
  /** By key: when both attestations were at an honest node, and no fault happened since. */
  readonly #heardMs = new Map<Address, number>()
  readonly #judged = new Set<Address>()
  readonly #report: ReportViolation

  constructor(report: ReportViolation) {
    this.#report = report
  }

  look({ nowMs, lastFaultMs, offenders, heard, isSlashed }: OffencesView): void {
    // A fault may make a node forget what it heard, and gossip does not repeat it; an offender does.
    for (const [key, heardMs] of this.#heardMs) if (heardMs < lastFaultMs) this.#heardMs.delete(key)
    if (nowMs >= lastFaultMs) for (const key of heard) this.#heardMs.set(key, this.#heardMs.get(key) ?? nowMs)
    for (const [key, sinceMs] of [...offenders, ...this.#heardMs]) {
      if (nowMs <= Math.max(sinceMs, lastFaultMs) + REPORT_MS || isSlashed(key) || this.#judged.has(key)) continue
      this.#judged.add(key)
      this.#report(RULE, `${key}, which signed twice for an epoch, is not slashed ${REPORT_MS / 60_000} minutes later`)
    }
  }
}
