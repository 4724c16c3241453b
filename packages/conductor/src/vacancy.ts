/** Decides which candidate of this conductor takes a leadership that nobody has. */
import type { Clock } from '@keelson/primitives'
import type { Candidate } from './ports.ts'
import type { Roster } from './roster.ts'

/** How long the best candidate of another conductor has the right of way. */
const PATIENCE_MS = 1_000
/** When no candidate can lead, one that answers leads nevertheless, so that the record is corrected. */
const REPAIR_MS = 3_000

export class Vacancy {
  readonly #candidates: readonly Candidate[]
  readonly #roster: Roster
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #sinceMs: number | null = null

  constructor(candidates: readonly Candidate[], roster: Roster, clock: Pick<Clock, 'monotonicMs'>) {
    this.#candidates = candidates
    this.#roster = roster
    this.#clock = clock
  }

  over(): void {
    this.#sinceMs = null
  }

  /** Null while another conductor should take it, or nobody can. */
  choose(): Candidate | null {
    const roster = this.#roster
    const nowMs = this.#clock.monotonicMs()
    this.#sinceMs ??= nowMs
    const lastedMs = nowMs - this.#sinceMs
    const best = roster.findBest(null)
    const own = best === null ? null : roster.findOwn(best.id)
    if (own !== null) return own
    if (best !== null) return lastedMs < PATIENCE_MS ? null : this.#first((candidate) => roster.reasonAgainst(candidate) === null)
    return lastedMs < REPAIR_MS || !roster.hasOthers ? null : this.#highestHere(lastedMs)
  }

  /** The candidate with the highest head, which holds all that the others hold; after a while any. */
  #highestHere(lastedMs: number): Candidate | null {
    const roster = this.#roster
    const highest = Math.max(...roster.statuses().map((status) => status?.unsafe.number ?? -1))
    return this.#first((candidate) => {
      const { status } = roster.observed(candidate)
      return status !== null && roster.faultOf(candidate) === null && (status.unsafe.number === highest || lastedMs > 2 * REPAIR_MS)
    })
  }

  #first(fits: (candidate: Candidate) => boolean): Candidate | null {
    return this.#candidates.find(fits) ?? null
  }
}
