import type { Incident, Problem } from '../../shared/network-document.ts'

const MAX_KEPT = 100

/** Remembers when problems began and ended, as far back as this process goes. */
export function createIncidents() {
  let kept: Incident[] = []
  const isSame = (incident: Incident, problem: Problem) =>
    incident.toMs === null && incident.role === problem.role && incident.check === problem.check

  return {
    update(problems: readonly Problem[], nowMs: number): void {
      kept = kept.map((incident) =>
        incident.toMs !== null || problems.some((problem) => isSame(incident, problem)) ? incident : { ...incident, toMs: nowMs },
      )
      for (const problem of problems) {
        if (kept.some((incident) => isSame(incident, problem))) continue
        const { role, check, what, sinceMs } = problem
        kept.unshift({ role, check, what, fromMs: sinceMs, toMs: null })
      }
      kept = kept.slice(0, MAX_KEPT)
    },
    list: (): readonly Incident[] => kept,
  }
}
