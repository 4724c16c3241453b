import { messageOf } from '@keelson/primitives'
import { EXIT_STARTING } from '../errors.ts'
import type { DoctorCheck, DoctorContext } from './doctor-context.ts'
import { type Finding, fail, type Result } from './finding.ts'
import { whileStarting, youngestAgeMs } from './starting.ts'

export async function runDoctor(
  checks: readonly DoctorCheck[],
  context: DoctorContext,
  tell: (finding: Finding) => void,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const check of checks) {
    for (const result of await resultsOf(check, context)) {
      const finding = { check: check.name, ...result }
      findings.push(finding)
      tell(finding)
    }
  }
  return findings
}

async function resultsOf({ run, settles }: DoctorCheck, context: DoctorContext): Promise<readonly Result[]> {
  const results = [await guarded(run, context)].flat()
  const isTroubled = results.some(({ status }) => status === 'fail' || status === 'warn')
  if (!isTroubled || settles?.(context.settings) !== true) return results
  const ageMs = await youngestAgeMs(context)
  return results.map((result) => whileStarting(result, ageMs))
}

/** A check that throws is a bug; the others still run. */
async function guarded(run: DoctorCheck['run'], context: DoctorContext) {
  try {
    return await run(context)
  } catch (error) {
    return fail('this check did not work', messageOf(error), 'please report it with this line')
  }
}

export function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ status }) => status === 'fail')
}

const EXIT_FAILED = 1

/** 1 for a fault; 75 (EX_TEMPFAIL of sysexits) while the node starts, when a script should ask again; otherwise 0. */
export function exitCodeOf(findings: readonly Finding[]): number {
  if (hasFailed(findings)) return EXIT_FAILED
  return findings.some(({ status }) => status === 'wait') ? EXIT_STARTING : 0
}
