import { counted } from '@keelson/primitives'
import type { Finding, FindingStatus } from './finding.ts'

const MARK: Readonly<Record<FindingStatus, string>> = { ok: 'ok  ', warn: 'warn', fail: 'FAIL', wait: 'WAIT', skip: '-   ' }
const NAME_WIDTH = 16

export function renderFinding({ check, status, what, why, todo }: Finding): string {
  const cause = why === undefined ? '' : `: ${why}`
  const remedy = todo === undefined ? '' : `; ${todo}`
  return `${MARK[status]}  ${check.padEnd(NAME_WIDTH)}  ${what}${cause}${remedy}`.replaceAll('\n', ' ')
}

export function renderVerdict(findings: readonly Finding[]): string {
  const failed = findings.filter(({ status }) => status === 'fail').length
  const warned = findings.filter(({ status }) => status === 'warn').length
  const waiting = findings.filter(({ status }) => status === 'wait').length
  const found = failed === 0 && warned === 0 ? 'nothing is wrong' : `${counted(failed, 'failure')}, ${counted(warned, 'warning')}`
  return waiting === 0 ? found : `${found}; still starting: ${counted(waiting, 'check')} to repeat`
}
