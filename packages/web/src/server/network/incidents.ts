import type { Incident, Problem } from '../../shared/network-document.ts'

const MAX_KEPT = 100
/** A role that was never ready may be starting: its problems are incidents only when they last. */
const STARTING_MS = 60_000

/** Remembers when problems began and ended. */
export function createIncidents() {
  let kept: readonly Incident[] = []
  const isSame = (incident: Incident, problem: Problem) =>
    incident.toMs === null && incident.role === problem.role && incident.check === problem.check

  return {
    /** Those of an earlier process; one that lasted then goes on if its problem is still there. */
    restore(earlier: readonly Incident[]): void {
      kept = earlier.slice(0, MAX_KEPT)
    },
    /** Returns whether anything began or ended. */
    update(problems: readonly Problem[], nowMs: number, wasReady: (role: string) => boolean): boolean {
      const counts = ({ role, sinceMs }: Problem) => wasReady(role) || nowMs - sinceMs >= STARTING_MS
      const isOver = (incident: Incident) => incident.toMs === null && !problems.some((problem) => isSame(incident, problem))
      const begun = problems.filter((problem) => counts(problem) && !kept.some((incident) => isSame(incident, problem)))
      if (begun.length === 0 && !kept.some(isOver)) return false
      const news = begun.map(({ role, check, what, sinceMs }) => ({ role, check, what, fromMs: sinceMs, toMs: null })).reverse()
      const rest = kept.map((incident) => (isOver(incident) ? { ...incident, toMs: nowMs } : incident))
      kept = [...news, ...rest].slice(0, MAX_KEPT)
      return true
    },
    list: (): readonly Incident[] => kept,
  }
}
