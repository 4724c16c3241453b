import type { Clock } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import { findFault, findIllness, type HealthLimits, type Observation, type Records, standingOf } from './health.ts'
import type { ConductorOptions } from './options.ts'
import type { Candidate, CandidateStatus } from './ports.ts'

export interface Roster {
  look(): Promise<void>
  find(id: string): Candidate | null
  observed(candidate: Candidate): Observation
  /** Returns statuses in the order of the candidates; null for a silent one. */
  statuses(): readonly (CandidateStatus | null)[]
  /**
   * Returns why a candidate cannot lead, or null. Missing blocks that are still kept are no reason, because it will receive them.
   */
  reasonAgainst(candidate: Candidate): string | null
  faultOf(candidate: Candidate): string | null
  illnessOf(id: string): string | null
  noteFailed(candidate: Candidate): void
  failedLately(candidate: Candidate): boolean
  /** Prefers candidates without a recent failure, then the highest head. */
  findBest(except: Candidate | null): Candidate | null
}

const UNSEEN: Observation = { status: null, reason: 'it has not been asked yet', silentLooks: 0 }

export function createRoster(
  candidates: readonly Candidate[],
  records: Records,
  options: HealthLimits & Pick<ConductorOptions, 'coolDownMs'>,
  clock: Clock,
): Roster {
  const observations = new Map<string, Observation>()
  const failedAtMs = new Map<string, number>()
  const seen = (id: string): Observation => observations.get(id) ?? UNSEEN
  const failedAt = ({ id }: Candidate): number => failedAtMs.get(id) ?? Number.NEGATIVE_INFINITY
  const unsafeNumber = ({ id }: Candidate): number => seen(id).status?.unsafe.number ?? -1

  async function observe(candidate: Candidate): Promise<Observation> {
    try {
      return { status: await candidate.status(), reason: null, silentLooks: 0 }
    } catch (error) {
      return { status: null, reason: messageOf(error), silentLooks: seen(candidate.id).silentLooks + 1 }
    }
  }

  const roster: Roster = {
    async look() {
      await Promise.all(candidates.map(async (candidate) => observations.set(candidate.id, await observe(candidate))))
    },
    find: (id) => candidates.find((candidate) => candidate.id === id) ?? null,
    observed: ({ id }) => seen(id),
    statuses: () => candidates.map(({ id }) => seen(id).status),
    reasonAgainst(candidate) {
      const fault = roster.faultOf(candidate)
      const { status } = seen(candidate.id)
      if (fault !== null || status === null) return fault
      const standing = standingOf(status, records)
      return standing.kind === 'elsewhere' ? standing.reason : null
    },
    faultOf: ({ id }) => findFault(seen(id), options, clock.nowMs()),
    illnessOf: (id) => findIllness(seen(id), options, clock.nowMs()),
    noteFailed: ({ id }) => void failedAtMs.set(id, clock.monotonicMs()),
    failedLately: (candidate) => clock.monotonicMs() - failedAt(candidate) < options.coolDownMs,
    findBest(except) {
      const able = candidates.filter((candidate) => candidate !== except && roster.reasonAgainst(candidate) === null)
      const [best] = able.sort(
        (a, b) =>
          Number(roster.failedLately(a)) - Number(roster.failedLately(b)) ||
          (roster.failedLately(a) ? failedAt(a) - failedAt(b) : 0) ||
          unsafeNumber(b) - unsafeNumber(a),
      )
      return best ?? null
    },
  }
  return roster
}
