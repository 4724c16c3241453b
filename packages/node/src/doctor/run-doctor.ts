import { messageOf } from '@keelson/primitives'
import type { DoctorCheck, DoctorContext } from './doctor-context.ts'
import { type Finding, fail } from './finding.ts'

export async function runDoctor(
  checks: readonly DoctorCheck[],
  context: DoctorContext,
  tell: (finding: Finding) => void,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { name, run } of checks) {
    for (const result of [await guarded(run, context)].flat()) {
      const finding = { check: name, ...result }
      findings.push(finding)
      tell(finding)
    }
  }
  return findings
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
