/** What a node that has just started has not reached yet is no fault of it. */
import type { DoctorContext } from './doctor-context.ts'
import type { Result } from './finding.ts'

/** Includes the first batch, which loads the KZG setup in several processes at once, on a busy machine. */
export const STARTING_MS = 180_000

interface AgeJson {
  readonly timeMs?: number
  readonly startedMs?: number
}

/**
 * Returns the age of the role that started last, in milliseconds. Returns null when no role states when it started; other clients'
 * health reports do not.
 */
export async function youngestAgeMs({ probe, settings }: Pick<DoctorContext, 'probe' | 'settings'>): Promise<number | null> {
  const answers = await Promise.all(settings.health.map((url) => probe.get(url, '/healthz')))
  const ages = answers.flatMap((answer) => {
    const { timeMs, startedMs } = (answer.kind === 'result' || answer.kind === 'http-error' ? (answer.value as AgeJson | null) : null) ?? {}
    return typeof timeMs === 'number' && typeof startedMs === 'number' ? [timeMs - startedMs] : []
  })
  return ages.length === 0 ? null : Math.min(...ages)
}

export function whileStarting(result: Result, ageMs: number | null): Result {
  if (ageMs === null || ageMs >= STARTING_MS || (result.status !== 'fail' && result.status !== 'warn')) return result
  const [age, left] = [ageMs, STARTING_MS - ageMs].map((ms) => Math.ceil(ms / 1000))
  const later = `it started ${age} s ago: run this again in ${left} s`
  return { ...result, status: 'wait', todo: result.todo === undefined ? later : `${later}; if it is the same then, ${result.todo}` }
}
