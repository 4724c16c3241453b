import type { Clock } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import { findFault, findIllness, type HealthLimits, type Observation, type Records, standingOf } from './health.ts'
import type { ConductorOptions } from './options.ts'
import type { Candidate, CandidateStatus, Observed, OwnReport } from './ports.ts'

export interface Roster {
  /** Asks this conductor's candidates. */
  look(): Promise<void>
  /** Takes what the other conductors reported of theirs. */
  lookAtOthers(): Promise<void>
  ownReports(): readonly OwnReport[]
  /** Whether other conductors share the ledger. */
  readonly hasOthers: boolean
  find(id: string): Observed | null
  /** Null if it belongs to another conductor. */
  findOwn(id: string): Candidate | null
  observed(candidate: Observed): Observation
  /** Own candidates, then those of the other conductors. */
  readonly all: readonly Observed[]
  /** Returns statuses of all candidates; null for a silent one. */
  statuses(): readonly (CandidateStatus | null)[]
  /**
   * Returns why a candidate cannot lead, or null. Missing blocks that are still kept are no reason, because it will receive them.
   */
  reasonAgainst(candidate: Observed): string | null
  faultOf(candidate: Observed): string | null
  illnessOf(id: string): string | null
  /** The candidate that an operator made seal without its conductor, or null. Silence does not end that: it has blocks of its own. */
  readonly overridden: Observed | null
  /** Another candidate that is overridden and was active when it last answered, or null. */
  rivalOf(id: string): Observed | null
  noteFailed(candidate: Observed): void
  failedLately(candidate: Observed): boolean
  /** Prefers candidates without a recent failure, then the highest head. */
  findBest(except: Observed | null): Observed | null
}

const UNSEEN: Observation = { status: null, reason: 'it has not been asked yet', silentLooks: 0 }

export function createRoster(
  own: readonly Candidate[],
  others: readonly Observed[],
  records: Records,
  options: HealthLimits & Pick<ConductorOptions, 'coolDownMs'>,
  clock: Clock,
): Roster {
  const candidates: readonly Observed[] = [...own, ...others]
  const observations = new Map<string, Observation>()
  const failedAtMs = new Map<string, number>()
  /** Whether each was active. */
  const overridden = new Map<string, boolean>()
  const seen = (id: string): Observation => observations.get(id) ?? UNSEEN
  const failedAt = ({ id }: Observed): number => failedAtMs.get(id) ?? Number.NEGATIVE_INFINITY
  const unsafeNumber = ({ id }: Observed): number => seen(id).status?.unsafe.number ?? -1

  async function observe(candidate: Observed): Promise<Observation> {
    try {
      return { status: await candidate.status(), reason: null, silentLooks: 0 }
    } catch (error) {
      return { status: null, reason: messageOf(error), silentLooks: seen(candidate.id).silentLooks + 1 }
    }
  }

  async function lookAtOne(candidate: Observed): Promise<void> {
    const { id } = candidate
    const observation = await observe(candidate)
    observations.set(id, observation)
    if (observation.status?.overridden === true) overridden.set(id, observation.status.active)
    else if (observation.status !== null) overridden.delete(id)
  }

  async function lookAt(some: readonly Observed[]): Promise<void> {
    await Promise.all(some.map(lookAtOne))
  }

  const roster: Roster = {
    look: () => lookAt(own),
    lookAtOthers: () => lookAt(others),
    ownReports: () => own.map(({ id, address }) => ({ id, address, status: seen(id).status, reason: seen(id).reason })),
    all: candidates,
    hasOthers: others.length > 0,
    findOwn: (id) => own.find((candidate) => candidate.id === id) ?? null,
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
    get overridden() {
      return candidates.find(({ id }) => overridden.has(id)) ?? null
    },
    rivalOf: (id) => candidates.find((candidate) => candidate.id !== id && overridden.get(candidate.id) === true) ?? null,
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
